package index_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
)

// words are what texts and queries are made of.
var words = []string{
	"star", "Wars", "starship", "a", "of", "x1", "2022-07-01", "foo_bar", "C++", "naïve", "naive", "NAI\u0308VE", "Straße", "strasse", "Über",
	"мир", "Мирный", "ёлка", "елка", "知識", "知識図書", "識", "日本語テキスト", "がぎ", "か\u3099き", "한국어", "ภาษาไทย", "co\u00adoperate", "cooperate",
	"supercalifragilisticexpialidociousandthensomemorelettersthatgoonandon", "dead\u200bbeef", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165",
	"ｶﾞｲﾄﾞ", "кра\u0438\u0306", "हिन्दी", "ab\u093fStar", "กำ\u093f", "กำ", "e\u0301te\u0301", "ＡＢＣ", "ﬁnd",
	"[[link|alias]]", "#tag/sub", "- [ ] task", "**bold**", "x\xffy",
}

// drawSink returns a sink whose texts are packed, or are not.
func drawSink(t *rapid.T) index.Sink {
	if rapid.Bool().Draw(t, "packed") {
		return new(index.Memory)
	}
	return index.Elsewhere()
}

func drawText(t *rapid.T, name string) string {
	var out strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, name+" words") {
		out.WriteString(rapid.SampledFrom(words).Draw(t, name))
		out.WriteString(rapid.SampledFrom([]string{" ", " ", "\n", "\n\n", "", ", ", "\r\n", "\n# "}).Draw(t, name+" gap"))
	}
	return out.String()
}

// drawQuery makes a query from pieces of words and all operators.
func drawQuery(t *rapid.T, depth int) string {
	piece := func() string {
		runes := []rune(strings.ToValidUTF8(strings.Trim(rapid.SampledFrom(words).Draw(t, "word"), "[]#*- "), ""))
		from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
		text := string(runes[from:rapid.IntRange(from+1, len(runes)).Draw(t, "to")])
		return strings.Trim(strings.Map(func(r rune) rune {
			if strings.ContainsRune(`"()[]|/:- `, r) {
				return -1
			}
			return r
		}, text), " ")
	}
	kind := rapid.IntRange(0, 13).Draw(t, "kind")
	if depth > 2 {
		kind %= 3
	}
	switch kind {
	case 0, 1, 2:
		if word := piece(); word != "" && word != "OR" {
			return word
		}
		return "star"
	case 3:
		return `"` + piece() + " " + piece() + `"`
	case 4:
		return `"` + piece() + `"`
	case 5:
		return "-" + drawQuery(t, 3)
	case 6:
		return "(" + drawQuery(t, depth+1) + " OR " + drawQuery(t, depth+1) + ")"
	case 7:
		return drawQuery(t, depth+1) + " " + drawQuery(t, depth+1)
	case 8:
		operator := rapid.SampledFrom(operators).Draw(t, "op")
		return operator + "(" + drawQuery(t, depth+1) + ")"
	case 9:
		return rapid.SampledFrom(terms).Draw(t, "other")
	default:
		return `"` + rapid.SampledFrom(phrases).Draw(t, "phrase") + `"`
	}
}

var (
	operators = []string{"file:", "path:", "content:", "line:", "block:", "section:", "task:", "match-case:"}
	terms     = []string{
		"tag:tag", "tag:one", "[status]", "[status:draft]", "[up:null]",
		`/st.r/`, `/\d{4}/`, "/кра\u0438\u0306/", "/か\u3099/", `/^x|мир/`, "/a[rb]+s/",
	}
	phrases = []string{
		"star wars", "Star", "foo_bar", "2022-07", "知識", "мир",
		"naïve wars", "Über star", "star Straße", "한국어", "край", "ガイド",
	}
)

var searchPaths = []vpath.Path{
	"Star.md", "x/Wars of old.md", "2022-07-01.md", "知識/図書.md", "Мир.md", "naïve.md",
	"board.canvas", "pic star.png", "data.txt", "foo_bar C++.md", "a.md",
}

// drawVault makes a snapshot by changes, and returns the texts of its files.
func drawVault(t *rapid.T) (*index.Snapshot, map[vpath.Path]string) {
	var parser index.Parser
	vault := map[vpath.Path]string{}
	now := index.New(nil, nil)
	for step := range rapid.IntRange(1, 14).Draw(t, "steps") {
		path := rapid.SampledFrom(searchPaths).Draw(t, "path")
		if _, exists := vault[path]; exists && rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
			delete(vault, path)
			now = now.With(index.Change{Removed: []vpath.Path{path}})
			continue
		}
		text := drawText(t, "text")
		if rapid.Bool().Draw(t, "front") {
			text = "---\ntags: [one]\nstatus: draft\nup:\n---\n" + text
		}
		if path.IsCanvas() {
			text = fmt.Sprintf(`{"nodes":[{"id":"1","type":"text","text":%q}]}`, strings.ToValidUTF8(text, ""))
		}
		vault[path] = text
		now = now.With(index.Change{Updated: []*index.Entry{parser.Parse(path, []byte(text)).Detach()}})
		if step == 6 { // moves all files into the base
			now, _ = now.Rebuild(context.Background(), drawSink(t))
		}
	}
	return now, vault
}

// The index finds exactly the files that match when every file is asked, whatever the query.
func TestSearchFindsWhatMatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, vault := drawVault(t)
		for range 4 {
			text := drawQuery(t, 0)
			q, err := search.Parse(text, search.Options{})
			if err != nil {
				continue
			}
			var want, got []string
			for path, data := range vault {
				file := &search.File{Path: string(path), Note: path.IsNote(), Canvas: path.IsCanvas()}
				if file.Note || file.Canvas {
					file.Text = []byte(data)
				}
				if q.Match(file) {
					want = append(want, string(path))
				}
			}
			results, err := s.Search(context.Background(), index.Search{Query: q, Limit: 50})
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range results.Found {
				if !found.Partial {
					got = append(got, string(found.Path))
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" || results.Total != len(want) {
				t.Fatalf("query %s, total %d: matching every file (-), searching the index (+):\n%s\nin %q", text, results.Total, diff, vault)
			}
			for _, found := range results.Found {
				_ = s.Passage(q, found)
			}
		}
	})
}

// A vault that was made by changes ranks files like one that was built at once.
func TestScoresDoNotDependOnSegments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, vault := drawVault(t)
		var parser index.Parser
		var entries []*index.Entry
		for _, path := range slices.Sorted(maps.Keys(vault)) {
			entries = append(entries, parser.Parse(path, []byte(vault[path])).Detach())
		}
		built := index.New(entries, nil)
		q, err := search.Parse(drawQuery(t, 0), search.Options{})
		if err != nil {
			return
		}
		fromChanges, _ := s.Search(context.Background(), index.Search{Query: q, Limit: 20})
		atOnce, _ := built.Search(context.Background(), index.Search{Query: q, Limit: 20})
		scores := func(results index.Results) map[vpath.Path]float64 {
			all := map[vpath.Path]float64{}
			for _, found := range results.Found {
				all[found.Path] = math.Round(found.Score*1e4) / 1e4
			}
			return all
		}
		if diff := cmp.Diff(scores(atOnce), scores(fromChanges)); diff != "" {
			t.Fatalf("built at once (-), made by changes (+):\n%s", diff)
		}
	})
}

// A note whose name contains the query comes first, in any script, even if another mentions it more often.
func TestNamesComeFirst(t *testing.T) {
	t.Parallel()
	var parser index.Parser
	var entries []*index.Entry
	for path, text := range map[vpath.Path]string{
		"如何克服拖延症.md":        "把任务分成小步骤。",
		"时间管理.md":           "拖延，拖延，还是拖延。为什么拖延？因为拖延。",
		"ซ่อมจักรยานเอง.md": "เปลี่ยนยางใน",
		"วันหยุด.md":        "จักรยาน จักรยาน และจักรยาน",
		"My beekeeping.md":  "The first hives.",
		"Weekend.md":        "Beekeeping, beekeeping, and once more beekeeping.",
	} {
		entries = append(entries, parser.Parse(path, []byte(text)).Detach())
	}
	s := index.New(entries, nil)
	for query, want := range map[string]vpath.Path{
		"拖延": "如何克服拖延症.md", "拖延症": "如何克服拖延症.md", "จักรยาน": "ซ่อมจักรยานเอง.md", "beekeeping": "My beekeeping.md",
	} {
		q, err := search.Parse(query, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		results, err := s.Search(t.Context(), index.Search{Query: q, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		if len(results.Found) == 0 || results.Found[0].Path != want {
			t.Errorf("%s finds %v, want %s first", query, results.Found, want)
		}
	}
}

// Whatever bytes a note has, its snippet is short and valid UTF-8.
func TestSnippetIsValidForAnyBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var parser index.Parser
		starts := []string{
			"", "---\na: b\n---\n", "---\r\na: b\r\n---\r\n", "\ufeff---\na: b\n---\n", "word ",
		}
		parts := []string{"\x80", "word ", "é", "字", "\xff\xfe", "x"}
		text := rapid.SampledFrom(starts).Draw(t, "start") +
			strings.Repeat(rapid.SampledFrom(parts).Draw(t, "part"), rapid.IntRange(0, 400).Draw(t, "times"))
		s := index.New([]*index.Entry{parser.Parse("a.md", []byte(text))}, nil)
		for _, query := range []string{"", "word", "é", `"字"`, "/x+/"} {
			q, err := search.Parse(query, search.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Passage(q, index.Found{Path: "a.md"}).Snippet; !utf8.ValidString(got) || len(got) > 1000 {
				t.Errorf("snippet for %q of %q: %q", query, text, got)
			}
		}
	})
}

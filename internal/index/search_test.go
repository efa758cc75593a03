package index_test

import (
	"context"
	"fmt"
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

// words of many kinds, from which texts and queries are made.
var words = []string{
	"star", "Wars", "starship", "a", "of", "x1", "2022-07-01", "foo_bar", "C++", "naïve", "naive", "NAI\u0308VE", "Straße", "strasse", "Über",
	"мир", "Мирный", "ёлка", "елка", "知識", "知識図書", "識", "日本語テキスト", "がぎ", "か\u3099き", "한국어", "ภาษาไทย", "co\u00adoperate", "cooperate",
	"supercalifragilisticexpialidociousandthensomemorelettersthatgoonandon", "dead\u200bbeef", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165", "ｶﾞｲﾄﾞ", "кра\u0438\u0306", "हिन्दी", "ab\u093fStar", "กำ\u093f", "กำ", "e\u0301te\u0301", "ＡＢＣ", "ﬁnd", "[[link|alias]]", "#tag/sub", "- [ ] task", "**bold**", "x\xffy",
}

func drawText(t *rapid.T, name string) string {
	var out strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, name+" words") {
		out.WriteString(rapid.SampledFrom(words).Draw(t, name))
		out.WriteString(rapid.SampledFrom([]string{" ", " ", "\n", "\n\n", "", ", ", "\r\n", "\n# "}).Draw(t, name+" gap"))
	}
	return out.String()
}

// drawQuery makes a query of pieces of words and all operators.
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
		return rapid.SampledFrom([]string{"file:", "path:", "content:", "line:", "block:", "section:", "task:", "match-case:"}).Draw(t, "op") + "(" + drawQuery(t, depth+1) + ")"
	case 9:
		return rapid.SampledFrom([]string{"tag:tag", "tag:one", "[status]", "[status:draft]", "[up:null]", `/st.r/`, `/\d{4}/`, "/кра\u0438\u0306/", "/か\u3099/", `/^x|мир/`, "/a[rb]+s/"}).Draw(t, "other")
	default:
		return `"` + rapid.SampledFrom([]string{"star wars", "Star", "foo_bar", "2022-07", "知識", "мир", "naïve wars", "Über star", "star Straße", "한국어", "край", "ガイド"}).Draw(t, "phrase") + `"`
	}
}

var searchPaths = []vpath.Path{"Star.md", "x/Wars of old.md", "2022-07-01.md", "知識/図書.md", "Мир.md", "naïve.md", "board.canvas", "pic star.png", "data.txt", "foo_bar C++.md", "a.md"}

// drawVault makes a vault by changes, and tells what its files say.
func drawVault(t *rapid.T) (*index.Snapshot, map[vpath.Path]string) {
	var parser index.Parser
	vault := map[vpath.Path]string{}
	now := index.New(nil, nil)
	for step := range rapid.IntRange(1, 14).Draw(t, "steps") {
		path := rapid.SampledFrom(searchPaths).Draw(t, "path")
		if _, there := vault[path]; there && rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
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
		now = now.With(index.Change{Updated: []*index.Entry{parser.Parse(path, []byte(text)).Keep()}})
		if step == 6 { // what came so far goes into the base
			now, _ = now.Rebuild(context.Background(), new(index.Memory))
		}
	}
	return now, vault
}

// TestSearchFindsWhatMatches: the index finds what asking every single file
// finds, whatever the query.
func TestSearchFindsWhatMatches(t *testing.T) {
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
				t.Fatalf("query %s, total %d: asking every file (-), the index (+):\n%s\nin %q", text, results.Total, diff, vault)
			}
			for _, found := range results.Found {
				s.Snippet(q, found.Path)
			}
		}
	})
}

// TestScoresDoNotDependOnSegments: a vault that came by changes ranks as one
// that was built at once.
func TestScoresDoNotDependOnSegments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, vault := drawVault(t)
		var parser index.Parser
		var entries []*index.Entry
		for path, text := range vault {
			entries = append(entries, parser.Parse(path, []byte(text)).Keep())
		}
		whole := index.New(entries, nil)
		q, err := search.Parse(drawQuery(t, 0), search.Options{})
		if err != nil {
			return
		}
		split, _ := s.Search(context.Background(), index.Search{Query: q, Limit: 20})
		one, _ := whole.Search(context.Background(), index.Search{Query: q, Limit: 20})
		scores := func(results index.Results) map[vpath.Path]float64 {
			all := map[vpath.Path]float64{}
			for _, found := range results.Found {
				all[found.Path] = math.Round(found.Score*1e4) / 1e4
			}
			return all
		}
		if diff := cmp.Diff(scores(one), scores(split)); diff != "" {
			t.Fatalf("built at once (-), by changes (+):\n%s", diff)
		}
	})
}

// TestSnippetOfAnything: whatever bytes a note has, there is a snippet.
func TestSnippetOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parser index.Parser
		text := rapid.SampledFrom([]string{"", "---\na: b\n---\n", "---\r\na: b\r\n---\r\n", "\ufeff---\na: b\n---\n", "word "}).Draw(t, "start") +
			strings.Repeat(rapid.SampledFrom([]string{"\x80", "word ", "é", "字", "\xff\xfe", "x"}).Draw(t, "part"), rapid.IntRange(0, 400).Draw(t, "times"))
		s := index.New([]*index.Entry{parser.Parse("a.md", []byte(text))}, nil)
		for _, asked := range []string{"", "word", "é", `"字"`, "/x+/"} {
			q, err := search.Parse(asked, search.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Snippet(q, "a.md"); !utf8.ValidString(got) || len(got) > 1000 {
				t.Errorf("%q in %q: %q", asked, text, got)
			}
		}
	})
}

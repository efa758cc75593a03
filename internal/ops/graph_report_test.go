package ops_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// reported is an answer of graph_report.
type reported struct {
	Items []struct {
		Path, Text, Note string
		Line             int
		Notes            []string
		Size             int
		Edit             *struct {
			OldText string `json:"old_text"`
			NewText string `json:"new_text"`
		}
	}
	Total int
}

func report(t testing.TB, tools *tool.Registry, arguments map[string]any) (result reported) {
	t.Helper()
	answer, err := invoke(t.Context(), t, tools, "graph_report", arguments)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer.JSON, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// Names inside addresses, ids, code and the like are not mentions.
func TestMentionsOnlyInProse(t *testing.T) {
	for _, line := range []string{
		"text ^Alpha", "^my-Alpha", "text[^Alpha]", "> [!Alpha] title", "[t][Alpha]", "[Alpha]", `\[Alpha\]`, "Alpha:: value", "[Alpha:: value]",
		"key:: Alpha", "<% Alpha %>", "{{ Alpha }}", "&Alpha;", "bob@Alpha.com", "Alpha@x.com", "mailto:Alpha", "Alpha.com/x", "https://x.y/Alpha",
		"src/Alpha/main.go", "Alpha.png", "foo_Alpha_bar", "pre-Alpha-x", "Alpha(x)", "- [ ] do 🆔 Alpha", "- [ ] card @{Alpha}", "!Alpha",
		`<a href="x">Alpha</a>`, "[[foo|see\nAlpha x]]", "# Alpha", "Alpha\n===", "`Alpha`", "$Alpha$", "%%Alpha%%", "#Alpha", "[x](Alpha)", "AlphaX", "alpha",
	} {
		tools := toolsOn(t, mem.New(map[string]string{"Alpha.md": "x", "B.md": line + "\n"}))
		if found := report(t, tools, map[string]any{"kind": "mentions"}); found.Total != 0 {
			t.Errorf("%q: %+v", line, found.Items)
		}
	}
	for _, line := range []string{
		"Alpha", "The Alpha, and more", "(Alpha)", "“Alpha”", "Alpha's", "**Alpha**", "Alpha.", "see: Alpha: yes", "| Alpha |", "- [ ] Alpha", "> Alpha", "Alpha—Beta",
	} {
		tools := toolsOn(t, mem.New(map[string]string{"Alpha.md": "x", "B.md": line + "\n"}))
		if found := report(t, tools, map[string]any{"kind": "mentions"}); found.Total != 1 || found.Items[0].Edit == nil {
			t.Errorf("%q: %+v", line, found.Items)
		}
	}
}

// The edits of all mentions, made in their order, link every name and change nothing else.
func TestMentionsBecomeLinks(t *testing.T) {
	names := map[string]string{
		"Alpha.md": "x", "Project Alpha.md": "---\naliases: [The Big One]\n---\n", "Guide C++.md": "x", "Launch!.md": "x", "Cafe\u0301.md": "x",
		"🚀 Rocket.md": "x", "a/Twin.md": "x", "b/Twin.md": "x", "Beta.md": "---\naliases: [beta]\n---\n", "東京.md": "x", "Odd.md": "---\naliases: [\"odd [x] thing\"]\n---\n",
	}
	for text, want := range map[string]string{
		"`Alpha`\nAlpha\n": "`Alpha`\n[[Alpha]]\n",
		"AlphaX\nAlpha\n":  "AlphaX\n[[Alpha]]\n",
		"The project alpha is here.\nNow Alpha alone.\n":     "The [[Project Alpha|project alpha]] is here.\nNow [[Alpha]] alone.\n",
		"The Big One and Alpha.\n":                           "[[Project Alpha|The Big One]] and [[Alpha]].\n",
		"Read the Guide C# now, not Guide C++ or Guide C.\n": "Read the Guide C# now, not [[Guide C++]] or Guide C.\n",
		"A Launch! of 🚀 Rocket.\n":                           "A [[Launch!]] of [[🚀 Rocket]].\n",
		"A Caf\u00e9 here.\n":                                "A [[Cafe\u0301|Caf\u00e9]] here.\n",
		"No Twin here.\n":                                    "No Twin here.\n",
		"Beta, then.\r\nAlpha\r\n":                           "[[Beta]], then.\r\n[[Alpha]]\r\n",
		"去東京大学\n":                                            "去[[東京]]大学\n",
		"odd [x] thing\n":                                    "odd [x] thing\n",
		"one Alpha\none Alpha\n":                             "one [[Alpha]]\none Alpha\n",
		"---\na: Alpha\n---\nAlpha\n":                        "---\na: Alpha\n---\n[[Alpha]]\n",
	} {
		files := map[string]string{"B.md": text}
		for name, content := range names {
			files[name] = content
		}
		store := mem.New(files)
		tools := toolsOn(t, store)
		for _, item := range report(t, tools, map[string]any{"kind": "mentions"}).Items {
			if item.Edit == nil {
				continue
			}
			if _, err := invoke(t.Context(), t, tools, "replace_text", map[string]any{"name": item.Path, "old_text": item.Edit.OldText, "new_text": item.Edit.NewText}); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
		file, err := store.Read(t.Context(), "B.md", 1<<20)
		if err != nil || string(file.Data) != want {
			t.Errorf("%q became %q, want %q (%v)", text, file.Data, want, err)
		}
	}
	tools := toolsOn(t, mem.New(map[string]string{"a/Twin.md": "x", "b/Twin.md": "x", "B.md": "The twin.\n"}))
	if found := report(t, tools, map[string]any{"kind": "mentions", "note": "b/Twin"}); found.Total != 1 || found.Items[0].Edit.NewText != "The [[b/Twin|twin]]" {
		t.Errorf("%+v", found)
	}
}

// The pages of a report are its parts, and its lines are counted from the first one of the file.
func TestMentionPages(t *testing.T) {
	tools := toolsOn(t, mem.New(map[string]string{
		"Alpha.md": "x", "Beta.md": "x", "Gamma.md": "x", "B.md": "---\na: b\n---\nAlpha\n\nBeta and Gamma\n", "C.md": "[[Alpha]], Beta\n", "D.md": "Gamma",
	}))
	whole := report(t, tools, map[string]any{"kind": "mentions"})
	var seen []string
	for _, item := range whole.Items {
		seen = append(seen, fmt.Sprintf("%s:%d %s", item.Path, item.Line, item.Note))
	}
	if diff := cmp.Diff([]string{"B.md:6 Gamma.md", "B.md:6 Beta.md", "B.md:4 Alpha.md", "C.md:1 Beta.md", "D.md:1 Gamma.md"}, seen); diff != "" {
		t.Error(diff)
	}
	for limit := range 6 {
		for offset := range 7 {
			found := report(t, tools, map[string]any{"kind": "mentions", "limit": limit, "offset": offset})
			want := whole.Items[min(offset, 5):min(offset+limit, 5)]
			if diff := cmp.Diff(want, found.Items, cmpopts.EquateEmpty()); diff != "" || found.Total != 5 {
				t.Errorf("limit %d, offset %d: %s", limit, offset, diff)
			}
		}
	}
}

// What is remembered from the last report is never shown where it does not hold any more: reports are the same as those of a server
// that has just started.
func TestReportsAfterChanges(t *testing.T) {
	files := map[string]string{
		"Alpha.md": "Beta is near.\n", "Beta.md": "Alpha, `Alpha`.\n", "Gamma.md": "Alpha and Beta and Delta Force.\n", "Same.md": "Alpha and Beta and Delta Force.\n",
	}
	for i := range 5 {
		files[fmt.Sprintf("Copy %d.md", i)] = strings.Repeat("The same words about Alpha in every copy of this text. ", 5)
	}
	v := vault.Open(mem.New(files), slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	open := func() *tool.Registry {
		_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsOff, Secret: []byte("x")})
		return tools
	}
	tools := open()
	for i, change := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"read_note", map[string]any{"name": "Alpha"}},
		{"append_note", map[string]any{"name": "Gamma", "text": "See [[Alpha]]."}},
		{"create_note", map[string]any{"name": "Delta Force", "content": "Gamma.\n"}},
		{"set_frontmatter", map[string]any{"name": "Beta", "key": "aliases", "value": []string{"near"}}},
		{"rename_note", map[string]any{"old_name": "Alpha", "new_name": "Omega"}},
		{"append_note", map[string]any{"name": "Copy 1", "text": strings.Repeat("Now it is another text, by far. ", 20)}},
		{"delete_note", map[string]any{"name": "Same"}},
		{"create_note", map[string]any{"name": "Alpha", "content": "Beta is near.\n"}},
	} {
		if _, err := invoke(t.Context(), t, tools, change.tool, change.arguments); err != nil {
			t.Fatal(err)
		}
		fresh := open()
		for _, asked := range []map[string]any{{"kind": "mentions"}, {"kind": "mentions", "note": "Beta"}, {"kind": "mentions", "folder": "/"}, {"kind": "duplicates"}} {
			got, want := report(t, tools, asked), report(t, fresh, asked)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("change %d, %v: %+v, want %+v", i, asked, got, want)
			}
		}
	}
	if found := report(t, tools, map[string]any{"kind": "mentions"}); found.Total < 3 {
		t.Errorf("%+v", found)
	}
}

// Long runs of names, and many pieces of code, take no longer than their length.
func TestManyMentions(t *testing.T) {
	tools := toolsOn(t, mem.New(map[string]string{
		"Alpha.md": "x", "Run.md": "https://x.y/" + strings.Repeat("Alpha,", 100_000), "Code.md": strings.Repeat("`Alpha` ", 60_000), "Bad.md": "`Alpha`\n\xff\xfe see Alpha\n",
	}))
	found := report(t, tools, map[string]any{"kind": "mentions"})
	if found.Total != 1 || found.Items[0].Path != "Bad.md" || found.Items[0].Edit != nil {
		t.Errorf("%+v", found)
	}
}

// A large group of duplicates is not listed in full.
func TestManyDuplicates(t *testing.T) {
	files := map[string]string{"Templates/Plan.md": "the same words again and again"}
	for i := range 300 {
		files[fmt.Sprintf("n%03d.md", i)] = fmt.Sprintf("---\nn: %d\n---\nthe same words again and again\n", i)
	}
	found := report(t, toolsOn(t, mem.New(files)), map[string]any{"kind": "duplicates"})
	if found.Total != 1 || found.Items[0].Size != 301 || len(found.Items[0].Notes) != 10 {
		t.Errorf("%+v", found)
	}
}

package ops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// toolsOn opens a store and returns its tools.
func toolsOn(t *testing.T, s store.Store) *tool.Registry {
	t.Helper()
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{Meaning: meaning.Builtin()})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsOff, Secret: []byte("x"), VaultID: "vault"})
	return tools
}

// callTool calls a tool and decodes its answer.
func callTool[T any](t *testing.T, tools *tool.Registry, name string, arguments map[string]any) (T, error) {
	t.Helper()
	var result T
	answer, err := invoke(t.Context(), t, tools, name, arguments)
	if err == nil {
		err = json.Unmarshal([]byte(answer.Text), &result)
	}
	return result, err
}

// TestFindNotesCases runs the shared search cases through the tool.
func TestFindNotesCases(t *testing.T) {
	cases.Run(t, "search", nil, func(r cases.Reporter, c cases.Case) {
		op := cases.Decode[struct {
			Query         string
			CaseSensitive bool `json:"case_sensitive"`
		}](c.Op)
		if op.CaseSensitive {
			return // the tool has no such switch; queries use match-case:
		}
		files := map[string]string{}
		for path, text := range c.Vault {
			if _, err := vpath.Parse(path); err == nil {
				files[path] = text
			}
		}
		s := mem.New(files)
		for name, settings := range c.Config {
			s.SetConfig(name+".json", string(settings))
		}
		found, err := callTool[ops.NotesFound](t, toolsOn(t, s), "find_notes", map[string]any{"query": op.Query, "limit": 50})
		if err != nil {
			r.Errorf("%s: %v", c.ID, err)
			return
		}
		got := []string{}
		for _, note := range *found.Notes {
			if !note.Partial {
				got = append(got, note.Path)
			}
		}
		slices.Sort(got)
		want := cases.Decode[struct{ Files []string }](c.Expect).Files
		if !slices.Equal(got, want) || *found.Total != len(want) {
			r.Errorf("%s: %s\n%s finds %q (total %d), want %q", c.ID, c.Title, op.Query, got, *found.Total, want)
		}
	})
}

func TestFindNotesContent(t *testing.T) {
	files := map[string]string{"long.md": strings.Repeat("wörd ", 2000), "a.md": "wörd", "b.md": "wörd", "c.md": "wörd"}
	tools := toolsOn(t, mem.New(files))
	content := func(arguments map[string]any) (with int, notes []ops.NoteFound) {
		t.Helper()
		found, err := callTool[ops.NotesFound](t, tools, "find_notes", arguments)
		if err != nil {
			t.Fatal(err)
		}
		for _, note := range *found.Notes {
			if note.Content != nil {
				with++
			}
		}
		return with, *found.Notes
	}
	if with, notes := content(map[string]any{"query": "word"}); with != 0 || len(notes) != 4 {
		t.Errorf("four results: %d with content", with)
	}
	if with, _ := content(map[string]any{"query": "word", "limit": 3}); with != 3 {
		t.Errorf("three results: %d with content", with)
	}
	if with, _ := content(map[string]any{"query": "word", "limit": 3, "include_content": false}); with != 0 {
		t.Errorf("include_content=false: %d with content", with)
	}
	_, notes := content(map[string]any{"query": "file:long", "include_content": true})
	text, uri := *notes[0].Content, "mcp-obsidian://vault/long.md"
	if cut := strings.Index(text, "\n\n["); !notes[0].Truncated || len([]rune(text[:cut])) != 3000 || !strings.HasSuffix(text, uri+"]") {
		t.Errorf("truncated %v: …%s", notes[0].Truncated, text[max(0, len(text)-80):])
	}
	if _, notes := content(map[string]any{"limit": 1000}); len(notes) != 4 || notes[0].Score != 0 {
		t.Errorf("an empty query browses: %+v", notes)
	}
}

// TestHostileQueriesEnd: queries that are malformed, or costly for a backtracking engine,
// get an answer or a short error. The deadline only keeps a broken engine from hanging.
func TestHostileQueriesEnd(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("note %d.md", i)] = strings.Repeat("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! ", 50)
	}
	tools := toolsOn(t, mem.New(files))
	if _, err := callTool[any](t, tools, "find_notes", map[string]any{"query": "x"}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tool  string
		query string
		fails bool
	}{
		{"find_notes", "", false}, {"find_notes", "   ", false}, {"find_notes", "OR", false}, {"find_notes", "OR OR OR", false}, {"find_notes", "-", false},
		{"find_notes", `"`, false}, {"find_notes", "((((", true}, {"find_notes", "tag: line:", true}, {"find_notes", strings.Repeat("a ", 1<<19), true},
		{"find_notes", strings.Repeat("(", 5000), true}, {"find_notes", `/(a+)+$/`, false}, {"find_notes", `/(a|aa)+!$/`, false}, {"find_notes", `/(/`, true}, {"find_notes", `/[/`, false},
		{"find_notes", `/(.*)*(.*)*(.*)*x/`, false}, {"find_notes", "a\x00b", true}, {"find_notes", `line:(section:(block:(a b c)))`, false},
		{"vault_search", `(a+)+$`, false}, {"vault_search", `(a|aa)+x`, false}, {"vault_search", `(a{1000}){1000}`, true}, {"vault_search", "(", true},
		{"vault_search", strings.Repeat("a", 1<<20), true}, {"vault_search", `(?=a)`, true}, {"vault_search", `(a)\1`, true}, {"vault_search", "a\nb", true},
		{"vault_search", `\p{Nope}`, true}, {"vault_search", `(.*)*(.*)*(.*)*x`, false},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), mode.Patience)
		_, err := invoke(ctx, t, tools, test.tool, map[string]any{"query": test.query})
		cancel()
		if (err != nil) != test.fails || err != nil && fault.KindOf(err) != fault.InvalidArgument {
			t.Errorf("%s %.40q: %v", test.tool, test.query, err)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s %.40q: an error of %d bytes", test.tool, test.query, len(err.Error()))
		}
	}
}

// TestVaultSearchBeforeTheIndex: until the index is built, the files themselves are
// searched, with the same answer.
func TestVaultSearchBeforeTheIndex(t *testing.T) {
	s := newUnindexed(map[string]string{"b.md": "one\nneedle\n", "a/c.txt": "needle here", "d.md": "x\x00needle"})
	tools := toolsOn(t, s)
	<-s.begun
	ask := func() ops.LinesFound {
		found, err := callTool[ops.LinesFound](t, tools, "vault_search", map[string]any{"query": "needle"})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before := ask()
	close(s.end)
	if _, err := callTool[any](t, tools, "find_notes", map[string]any{}); err != nil { // waits for the index
		t.Fatal(err)
	}
	after := ask()
	if !slices.Equal(before.Results, after.Results) || len(after.Results) != 2 {
		t.Errorf("before %+v, after %+v", before.Results, after.Results)
	}
}

// TestCutContentShowsTheMatch: of a long note whose match lies behind the cut, the section with the match is returned.
func TestCutContentShowsTheMatch(t *testing.T) {
	filler := strings.Repeat("Nothing to see on this line.\n", 200)
	tools := toolsOn(t, mem.New(map[string]string{
		"Sections.md": "# Start\n\n" + filler + "## Wanted\n\nThe needle is here.\n\n## After\n\n" + filler,
		"Flat.md":     filler + "A haystack is here.\n" + filler,
		"Huge.md":     "# Huge\n\n" + filler + "A pin is here.\n" + filler,
	}))
	for query, want := range map[string]string{
		"needle":   "[…]\n## Wanted\n\nThe needle is here.\n[…]\n\n[Cut at 3,000 characters.",
		"haystack": "[…]\nA haystack is here.\n[…]\n\n[Cut at 3,000 characters.",
		"pin":      "[…]\nA pin is here.\nNothing to see",
	} {
		found, err := callTool[ops.NotesFound](t, tools, "find_notes", map[string]any{"query": query})
		if err != nil || len(*found.Notes) != 1 {
			t.Fatalf("%s: %+v, %v", query, found, err)
		}
		if note := (*found.Notes)[0]; !note.Truncated || !strings.HasPrefix(*note.Content, want) || !strings.HasSuffix(*note.Content, note.URI+"]") {
			t.Errorf("%s: the content is %q", query, *note.Content)
		}
	}
}

package vault_test

import (
	"log/slog"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

// TestPromptsAreGuarded: a caller with limits reads prompts, and changes none of them in any way.
func TestPromptsAreGuarded(t *testing.T) {
	t.Parallel()
	const prompt vpath.Path = "Prömpts/sub/A.md"
	s := mem.New(map[string]string{string(prompt): "a", "b.md": "b", "Prömpts.md": "c"})
	v := opened(t, vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{Prompts: "Prömpts"}))
	view := limited(t, v, "private/")
	read := func(path vpath.Path) store.Rev {
		file, err := view.Read(t.Context(), path, 10)
		if err != nil {
			t.Fatal(err)
		}
		return file.Rev
	}
	base, other := read(prompt), read("b.md")
	denied := func(what string, err error) {
		t.Helper()
		if fault.KindOf(err) != fault.PermissionDenied || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := view.Edit(t.Context(), prompt, "", func(note *md.Note) ([]md.Splice, error) { return edit.Append(note, "x"), nil })
	denied("an edit", err)
	denied("a check", view.CheckUnguarded(prompt))
	relinking, err := view.Relinking(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]store.Change{
		"a new note":             {Path: "Prömpts/New.md", Data: []byte("x")},
		"a new note in NFD":      {Path: "Pro\u0308mpts/New.md", Data: []byte("x")},
		"a new note, upper case": {Path: "PRÖMPTS/New.md", Data: []byte("x")},
		"a deletion":             {Op: store.Trash, Path: prompt, Base: base},
		"a move out":             {Op: store.Move, Path: prompt, To: "out.md", Base: base},
		"a move in":              {Op: store.Move, Path: "b.md", To: "prömpts/b.md", Base: other},
	} {
		_, err := view.Commit(t.Context(), []store.Change{change})
		denied(what, err)
		_, err = relinking.Commit(t.Context(), []store.Change{change})
		denied(what+" beside links", err)
		if view.MayWrite(change.Path) && view.MayWrite(change.To) {
			t.Errorf("%s may be written", what)
		}
	}
	_, err = view.Commit(t.Context(), []store.Change{{Path: prompt, Base: base, Data: []byte("x")}})
	denied("a replacement", err)
	denied("a name", view.Closed("PRÖMPTS/x"))
	for _, change := range []store.Change{
		{Path: "Prömpts.md", Base: read("Prömpts.md"), Data: []byte("x")}, {Path: "b.md", Base: other, Data: []byte("x")},
	} {
		if _, err := view.Commit(t.Context(), []store.Change{change}); err != nil {
			t.Errorf("outside of the folder: %v", err)
		}
	}
	if _, err := relinking.Commit(t.Context(), []store.Change{{Path: prompt, Base: base, Data: []byte("[[link]]")}}); err != nil {
		t.Errorf("an update of links: %v", err)
	}
	commit(t, v, store.Change{Path: "Prömpts/New.md", Data: []byte("by the owner")})
	if _, err := v.Whole().Edit(t.Context(), prompt, "", func(note *md.Note) ([]md.Splice, error) { return edit.Append(note, "x"), nil }); err != nil {
		t.Errorf("the owner: %v", err)
	}
}

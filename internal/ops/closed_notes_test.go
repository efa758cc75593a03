package ops_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// withoutPrivate is the scope of everything but the folder private.
func withoutPrivate(t *testing.T) scope.Scope {
	t.Helper()
	open, err := scope.New(nil, []string{"private/"})
	if err != nil {
		t.Fatal(err)
	}
	return open
}

// mustCall makes a call that must succeed, and returns its text.
func (c *canaryVault) mustCall(name string, args map[string]any) string {
	c.t.Helper()
	answer, err := c.call(c.tools, name, args)
	if err != nil {
		c.t.Fatalf("%s %v: %v", name, args, err)
	}
	return answer.Text
}

// TestLinksFollowInClosedNotes: links to a renamed or deleted note are rewritten in closed
// files too, each in its own form, and the answer does not mention it.
func TestLinksFollowInClosedNotes(t *testing.T) {
	files := map[string]string{
		"Plan.md":              "plan",
		"Open.md":              "[[Plan]]",
		"private/Note.md":      "---\nup: \"[[Plan]]\"\n---\n[[Plan#a|b]] [m](../Plan.md) and the rest\r\n",
		"private/Board.canvas": `{"nodes":[{"type":"file","file":"Plan.md"},{"type":"text","text":"[[Plan]]"}]}`,
		"private/Other.md":     "unrelated",
	}
	c := openCanary(t, files, withoutPrivate(t), map[string]string{"bookmarks.json": `{"items":[{"path":"Plan.md"}]}`})
	dry := c.mustCall("rename_note", map[string]any{"old_name": "Plan", "new_name": "work/Goals", "dry_run": true})
	done := c.mustCall("rename_note", map[string]any{"old_name": "Plan", "new_name": "work/Goals"})
	if want := `"files_updated":["Open"],"links_updated":1,`; !strings.Contains(done, want) || strings.ReplaceAll(dry, `"dry_run":true`, `"dry_run":false`) != done {
		t.Errorf("dry run and rename:\n%s\n%s", dry, done)
	}
	want := map[string]string{
		"work/Goals.md":        "plan",
		"Open.md":              "[[work/Goals]]", // the caller must not see whether the name alone would do
		"private/Note.md":      "---\nup: \"[[Goals]]\"\n---\n[[Goals#a|b]] [m](Goals.md) and the rest\r\n",
		"private/Board.canvas": `{"nodes":[{"type":"file","file":"work/Goals.md"},{"type":"text","text":"[[Goals]]"}]}`,
		"private/Other.md":     "unrelated",
	}
	if diff := cmp.Diff(want, c.store.Files()); diff != "" {
		t.Errorf("after renaming, want (-), got (+):\n%s", diff)
	}
	if bookmarks, err := c.store.Config(t.Context(), "bookmarks.json"); err != nil || !strings.Contains(string(bookmarks.Data), "work/Goals.md") {
		t.Errorf("bookmarks: %s, %v", bookmarks.Data, err)
	}
	deleted := c.mustCall("delete_note", map[string]any{"name": "Goals"})
	if !strings.Contains(deleted, `"files_updated":["Open"],"links_updated":1,`) {
		t.Errorf("delete_note: %s", deleted)
	}
	if got := c.store.Files()["private/Note.md"]; !strings.Contains(got, `up: "[[Goals (deleted)]]"`) || !strings.Contains(got, "[[Goals (deleted)#a|b]]") {
		t.Errorf("after deleting, the closed note is %q", got)
	}
}

// TestClosedNotesOfTheSameName: a caller cannot detect a closed note by creating notes with
// its name, moving them and looking at the links.
func TestClosedNotesOfTheSameName(t *testing.T) {
	files := map[string]string{
		"a/long/way/off/Twin.md":   "open twin",
		"private/Twin.md":          "closed twin",
		"a/long/way/off/Beside.md": "[[Twin]]",
		"Far.md":                   "[[Twin]]", // the closed one is nearer; the caller must not notice
		"private/Near.md":          "[[Twin]]", // means the closed one
	}
	c := openCanary(t, files, withoutPrivate(t), nil)
	renamed := c.mustCall("rename_note", map[string]any{"old_name": "Twin", "new_name": "far/away/Twin"})
	got := c.store.Files()
	if got["a/long/way/off/Beside.md"] != "[[far/away/Twin]]" || got["private/Near.md"] != "[[Twin]]" { // the closed one must not get the open note's link
		t.Errorf("%s: the links became %q", renamed, got)
	}
	for _, toolName := range []string{"rename_note", "delete_note"} {
		probe := openCanary(t, map[string]string{"z/z/Salary.md": "mine", "Probe.md": "[[Salary]]", "private/Salary.md": "theirs"}, withoutPrivate(t), nil)
		twin := openCanary(t, map[string]string{"z/z/Salary.md": "mine", "Probe.md": "[[Salary]]"}, withoutPrivate(t), nil)
		arguments := map[string]any{"old_name": "Salary", "new_name": "Other", "dry_run": true}
		if toolName == "delete_note" {
			arguments = map[string]any{"name": "Salary", "dry_run": true}
		}
		if got, want := probe.mustCall(toolName, arguments), twin.mustCall(toolName, arguments); got != want || !strings.Contains(got, `"links_updated":1`) {
			t.Errorf("%s: %s, without the closed note %s", toolName, got, want)
		}
	}
	c.mustCall("create_note", map[string]any{"name": "New"})
	c.mustCall("link_add", map[string]any{"source": "New", "target": "Twin"})
	if text := c.store.Files()["New.md"]; text != "[[far/away/Twin]]" {
		t.Errorf("the new link is %q", text)
	}
}

// TestOnlyTheOwnerWritesInstructions: a limited caller cannot write notes that are shown to
// the assistants of callers with all rights.
func TestOnlyTheOwnerWritesInstructions(t *testing.T) {
	files := map[string]string{"Rules.md": "---\ntags: [claude]\ndescription: d\n---\n", "A.md": "text", "private/x.md": ""}
	c := openCanary(t, files, withoutPrivate(t), nil)
	_, owner := c.toolsFor(scope.Scope{}, 0)
	for name, args := range map[string]map[string]any{
		"append_note": {"name": "A", "text": "#Claude do this"}, "create_note": {"name": "B", "content": "#claude"}, "add_tag": {"name": "A", "tag": "claude"},
		"update_note": {"name": "Rules", "content": "other"}, "rename_note": {"old_name": "Rules", "new_name": "Do this"}, "delete_note": {"name": "Rules"},
		"note_upsert":     {"path": "C.md", "content": "x", "frontmatter": map[string]any{"tags": []string{"claude"}, "description": "d"}},
		"set_frontmatter": {"name": "Rules", "key": "description", "value": "do this"},
	} {
		_, limited := c.toolsFor(c.scope, 0)
		if _, err := c.call(limited, name, args); !errors.Is(err, fault.PermissionDenied) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.call(owner, "update_note", map[string]any{"name": "Rules", "content": "other"}); err != nil {
		t.Errorf("the owner: %v", err)
	}
}

// TestNewNotesGoToTheOpenFolder: for a caller with a single open folder, a bare name means
// a note there, and a refusal names that folder.
func TestNewNotesGoToTheOpenFolder(t *testing.T) {
	only, err := scope.New([]string{"Projects/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := openCanary(t, map[string]string{"A.md": "", "Projects/B.md": ""}, only, nil)
	if created := c.mustCall("create_note", map[string]any{"name": "New"}); !strings.Contains(created, `"Projects/New.md"`) {
		t.Errorf("%s", created)
	}
	_, limited := c.toolsFor(only, 0)
	if _, err := c.call(limited, "create_note", map[string]any{"name": "elsewhere/New"}); !strings.Contains(fault.HintOf(err), "Projects/") {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
}

// TestLinksInClosedNotesAreNotHijacked: creating a note with the name of a closed one, and
// moving or deleting it, changes nothing in closed notes.
func TestLinksInClosedNotesAreNotHijacked(t *testing.T) {
	files := map[string]string{
		"private/Index.md": "---\nup: \"[[Budget]]\"\n---\n[[Budget]] and [[plans/Budget]]", "private/plans/Budget.md": "b",
		"private/Board.canvas": `{"nodes":[{"type":"text","text":"[[Budget]]"}]}`,
	}
	for _, toolName := range []string{"rename_note", "delete_note"} {
		c := openCanary(t, files, withoutPrivate(t), nil)
		c.mustCall("create_note", map[string]any{"name": "Budget"}) // nearer to every link
		if toolName == "rename_note" {
			c.mustCall(toolName, map[string]any{"old_name": "Budget", "new_name": "SYSTEM do as I say"})
		} else {
			c.mustCall(toolName, map[string]any{"name": "Budget"})
		}
		for name, text := range files {
			if got := c.store.Files()[name]; got != text {
				t.Errorf("%s: %s became %q", toolName, name, got)
			}
		}
	}
}

// TestEachLinkIsSparedByItself: next to a link that is left alone, another link in the same
// property or card is rewritten.
func TestEachLinkIsSparedByItself(t *testing.T) {
	c := openCanary(t, map[string]string{
		"p/Budget.md": "", "private/deep/er/Budget.md": "",
		"private/I.md":         "---\nrel: \"[[Budget]] and [[p/Budget]]\"\n---\n",
		"private/Board.canvas": `{"nodes":[{"type":"text","text":"[[Budget]] and [[p/Budget]]"}]}`,
	}, withoutPrivate(t), nil)
	c.mustCall("rename_note", map[string]any{"old_name": "p/Budget", "new_name": "B2"})
	for _, name := range []string{"private/I.md", "private/Board.canvas"} {
		if got := c.store.Files()[name]; !strings.Contains(got, "[[Budget]] and [[B2]]") {
			t.Errorf("%s became %q", name, got)
		}
	}
}

// TestLinksToClosedNotesAreLeftAlone: an open note's link to a closed one is never
// rewritten, since that would reveal where it is.
func TestLinksToClosedNotesAreLeftAlone(t *testing.T) {
	text := "---\nup: \"[[Hidden]]\"\n---\n[[Hidden]] [x](private/Hidden.md) [[Plan]] [![[Plan]]](private/Hidden.md)\n"
	files := map[string]string{
		"Plan.md": text, "Open.md": text, "private/Hidden.md": "h", "private/Near.md": "[[Hidden]]",
		"Board.canvas": `{"nodes":[{"type":"text","text":"[[Hidden]]"},{"type":"text","text":"[[Plan]]"}]}`,
	}
	c := openCanary(t, files, withoutPrivate(t), nil)
	renamed := c.mustCall("rename_note", map[string]any{"old_name": "Plan", "new_name": "Hidden"}) // so that the links mean it
	got := c.store.Files()
	want := strings.ReplaceAll(text, "[[Plan]]", "[[Hidden]]")
	if got["Open.md"] != want || got["Hidden.md"] != want || got["Board.canvas"] != strings.ReplaceAll(files["Board.canvas"], "Plan", "Hidden") {
		t.Errorf("%s\n%q", renamed, got)
	}
	if got["private/Near.md"] != "[[private/Hidden]]" && got["private/Near.md"] != "[[Hidden]]" {
		t.Errorf("the closed note's link became %q", got["private/Near.md"])
	}
	c.mustCall("rename_note", map[string]any{"old_name": "Hidden", "new_name": "deep/er/Plan"})
	if got := c.store.Files()["deep/er/Plan.md"]; !strings.Contains(got, "[x](private/Hidden.md)") {
		t.Errorf("the moved note became %q", got)
	}
}

// TestConfirmationsCountOpenNotes: confirmations count only open notes, and are valid only
// for callers with the same rights.
func TestConfirmationsCountOpenNotes(t *testing.T) {
	files := map[string]string{"Plan.md": "", "A.md": "[[Plan]]", "B.md": "[[Plan]]", "private/C.md": "[[Plan]]", "private/D.md": "[[Plan]]"}
	c := openCanary(t, files, withoutPrivate(t), nil)
	_, limited := c.toolsFor(c.scope, 2)
	_, owner := c.toolsFor(scope.Scope{}, 2)
	_, lenient := c.toolsFor(c.scope, 3)
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{"rename_note", map[string]any{"old_name": "Plan", "new_name": "Goals"}},
		{"delete_note", map[string]any{"name": "Plan"}},
	} {
		ids := map[string]string{}
		for caller, want := range map[string]int{"limited": 3, "owner": 5} {
			tools := map[string]*tool.Registry{"limited": limited, "owner": owner}[caller]
			_, err := c.call(tools, call.tool, call.args)
			needs, ok := errors.AsType[*tool.NeedsConfirm](err)
			if !ok || needs.Notes != want {
				t.Fatalf("%s, %s: %v", call.tool, caller, err)
			}
			ids[caller] = needs.ID
		}
		for _, wrong := range []struct {
			tools *tool.Registry
			id    string
		}{{limited, ids["owner"]}, {owner, ids["limited"]}} {
			call.args["confirm"] = wrong.id
			if _, err := c.call(wrong.tools, call.tool, call.args); err == nil {
				t.Fatalf("%s: the id of a caller with other rights was accepted", call.tool)
			}
		}
		call.args["confirm"] = ids["limited"]
		if _, err := c.call(limited, call.tool, call.args); err != nil {
			t.Errorf("%s: the id was refused: %v", call.tool, err)
		}
		c.restore()
	}
	if _, err := c.call(lenient, "rename_note", map[string]any{"old_name": "Plan", "new_name": "Goals"}); err != nil {
		t.Errorf("three open notes need a confirmation: %v", err)
	}
}

// TestWritesToClosedFolders: the refusal is the same whether or not the note exists, and
// names what the caller wrote.
func TestWritesToClosedFolders(t *testing.T) {
	files := map[string]string{"Open.md": "", "private/inbox/There.md": "x"}
	c := openCanary(t, files, withoutPrivate(t), map[string]string{"app.json": `{"newFileLocation":"folder","newFileFolderPath":"private/inbox"}`})
	for _, call := range []struct {
		tool, param string
		args        map[string]any
		names       []string
	}{
		{"create_note", "name", map[string]any{"content": "x"}, []string{"private/inbox/There", "private/inbox/Gone", "There", "Gone", "Private/Inbox/There.md", "private/There/x"}},
		{"create_note", "name", map[string]any{"content": "x", "overwrite": true}, []string{"private/inbox/There", "private/inbox/Gone", "There", "Gone"}},
		{"note_upsert", "path", map[string]any{"content": "x"}, []string{"private/inbox/There.md", "private/inbox/Gone.md", "PRIVATE/inbox/There.md"}},
		{"rename_note", "new_name", map[string]any{"old_name": "Open"}, []string{"private/inbox/There", "private/inbox/Gone", "/private/inbox/There", "Private/x/y"}},
	} {
		for _, name := range call.names {
			call.args[call.param] = name
			_, err := c.call(c.tools, call.tool, call.args)
			if fault.KindOf(err) != fault.PermissionDenied || err.Error() != "you may not write to '"+name+"'" {
				t.Errorf("%s to %s: %v", call.tool, name, err)
			}
		}
	}
	if diff := cmp.Diff(files, c.store.Files()); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
}

// failingStore is a store that fails to read closed notes, or to commit.
type failingStore struct {
	*mem.Store
	read, commit error
}

func (s *failingStore) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	return mem.ReadEach(ctx, s, paths, limit)
}

func (s *failingStore) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	if s.read != nil && path.In("private") {
		return store.File{}, s.read
	}
	return s.Store.Read(ctx, path, limit)
}

func (s *failingStore) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if s.commit != nil {
		return nil, s.commit
	}
	return s.Store.Commit(ctx, changes)
}

// TestErrorsDoNotNameClosedNotes: an error about a closed note shows only its kind.
func TestErrorsDoNotNameClosedNotes(t *testing.T) {
	s := &failingStore{Store: mem.New(map[string]string{"Plan.md": "", "private/Secret.md": "[[Plan]]"})}
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	if _, err := v.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, tools := ops.New(v.View(withoutPrivate(t)), ops.Options{})
	c := &canaryVault{t: t}
	for _, trouble := range []struct {
		read, commit error
		want         fault.Kind
	}{
		{fault.PermissionDenied.Errorf("private/Secret.md is closed to us"), nil, fault.PermissionDenied},
		{errors.New("read private/Secret.md: disk on fire"), nil, fault.Internal},
		{nil, fault.Conflict.Errorf("private/Secret.md has changed"), fault.Conflict},
		{nil, fault.StoreUnavailable.Errorf("private/Secret.md: no space left"), fault.StoreUnavailable},
	} {
		s.read, s.commit = trouble.read, trouble.commit
		for name, args := range map[string]map[string]any{"rename_note": {"old_name": "Plan", "new_name": "Goals"}, "delete_note": {"name": "Plan"}} {
			_, err := c.call(tools, name, args)
			if text := transcript(nil, err); fault.KindOf(err) != trouble.want || strings.Contains(text, "ecret") {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
	s.read, s.commit = fault.NotFound.Errorf("private/Secret.md is gone"), nil
	if _, err := c.call(tools, "rename_note", map[string]any{"old_name": "Plan", "new_name": "Goals"}); err != nil {
		t.Errorf("a closed note that is gone: %v", err)
	}
}

// TestSearchWithoutAnIndex: until the index is built, only lines of open files are found.
func TestSearchWithoutAnIndex(t *testing.T) {
	s := newUnindexed(map[string]string{"a.md": "secret plan", "private/b.md": "secret canary"})
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	<-s.begun
	_, tools := ops.New(v.View(withoutPrivate(t)), ops.Options{})
	answer, err := (&canaryVault{t: t}).call(tools, "vault_search", map[string]any{"query": "secret"})
	if want := `{"results":[{"path":"a.md","line":1,"text":"secret plan"}]}`; err != nil || answer.Text != want {
		t.Errorf("%s, %v", answer.Text, err)
	}
}

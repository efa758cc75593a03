package ops_test

import (
	"context"
	"encoding/json"
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
	"obsidian-mcp/internal/vault"
)

// TestConflictsAreReported: tools that return a note's hash list the sides of its conflict,
// if it has one.
func TestConflictsAreReported(t *testing.T) {
	c := openCanary(t, map[string]string{"A.md": "# H\nours\n", "B.md": "# H\nours\n"}, scope.Scope{}, nil)
	side := string(c.store.Diverge("A.md", []byte("# H\ntheirs\n")))
	for _, test := range []struct {
		tool, parameter string
		more            map[string]any
	}{
		{"read_note", "name", nil},
		{"read_section", "name", map[string]any{"section": "H"}},
		{"get_note_metadata", "name", nil},
		{"note_read", "path", nil},
		{"summarise_note", "uri", nil},
	} {
		for note, want := range map[string]any{"A.md": []string{side}, "B.md": nil} {
			arguments := map[string]any{test.parameter: note}
			for key, value := range test.more {
				arguments[key] = value
			}
			answer, err := c.call(c.tools, test.tool, arguments)
			if err != nil || answer.Meta["hash"] == "" || strings.Contains(answer.Text, "theirs") {
				t.Fatalf("%s of %s: %+v, %v", test.tool, note, answer, err)
			}
			if diff := cmp.Diff(want, answer.Meta["conflicts"]); diff != "" {
				t.Errorf("%s of %s, conflicts, want (-), got (+):\n%s", test.tool, note, diff)
			}
			if _, listed := answer.Meta["conflicts"]; listed != (want != nil) {
				t.Errorf("%s of %s carries %v", test.tool, note, answer.Meta)
			}
		}
	}
}

// TestReadOneSide: each side of a conflict can be read, whole or in part.
func TestReadOneSide(t *testing.T) {
	c := openCanary(t, map[string]string{"A.md": "ours", "B.md": "", "p.png": ""}, scope.Scope{}, nil)
	side := string(c.store.Diverge("A.md", []byte("one\ntwo\n")))
	c.store.Diverge("p.png", []byte("x"))
	for _, test := range []struct {
		arguments, want string
	}{
		{`{"name":"A"}`, "ours"},
		{`{"name":"A","revision":""}`, "ours"},
		{`{"name":"A","revision":"SIDE"}`, "one\ntwo\n"},
		{`{"name":"A","revision":"SIDE","start_line":2}`, "two\n"},
		{`{"name":"A","revision":"1-0"}`, "NOT_FOUND: 'A' has no side '1-0' of a sync conflict"},
		{`{"name":"B","revision":"SIDE"}`, "NOT_FOUND: 'B' has no side 'SIDE' of a sync conflict"},
		{`{"name":"no","revision":"SIDE"}`, "NOT_FOUND: Note 'no' not found"},
		{`{"name":"p.png","revision":"SIDE"}`, "INVALID_ARGUMENT: 'p.png' is an attachment and has no text"},
	} {
		var arguments map[string]any
		if err := json.Unmarshal([]byte(strings.ReplaceAll(test.arguments, "SIDE", side)), &arguments); err != nil {
			t.Fatal(err)
		}
		answer, err := c.call(c.tools, "read_note", arguments)
		got := answer.Text
		if err != nil {
			got = fault.KindOf(err).Code() + ": " + err.Error()
		}
		if want := strings.ReplaceAll(test.want, "SIDE", side); got != want {
			t.Errorf("%s: %q, want %q", test.arguments, got, want)
		}
	}
}

// TestNotesInConflictAreNotWritten: every write to a note in conflict is refused, also as a
// dry run, and the refusal says how to read the other side.
func TestNotesInConflictAreNotWritten(t *testing.T) {
	files := map[string]string{"A.md": "---\ntags: [x]\n---\n# H\nours\n", "To A.md": "[[A]]\n", "In.md": "x [[Else]]\n", "Else.md": "#x"}
	c := openCanary(t, files, scope.Scope{}, nil)
	sides := map[string]string{"A": string(c.store.Diverge("A.md", []byte("theirs"))), "In": string(c.store.Diverge("In.md", []byte("theirs")))}
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		about     string
	}{
		{"append_note", map[string]any{"name": "A", "text": "x"}, "A"},
		{"update_note", map[string]any{"name": "A", "content": "x"}, "A"},
		{"create_note", map[string]any{"name": "A", "content": "x", "overwrite": true}, "A"},
		{"note_upsert", map[string]any{"path": "A.md", "content": "x"}, "A"},
		{"remove_tag", map[string]any{"name": "A", "tag": "x"}, "A"},
		{"update_section", map[string]any{"name": "A", "section": "H", "content": "x"}, "A"},
		{"link_add", map[string]any{"source": "A", "target": "Else"}, "A"},
		{"rename_note", map[string]any{"old_name": "A", "new_name": "B"}, "A"},
		{"rename_note", map[string]any{"old_name": "A", "new_name": "B", "dry_run": true}, "A"},
		{"delete_note", map[string]any{"name": "A"}, "A"},
		{"delete_note", map[string]any{"name": "A", "dry_run": true}, "A"},
		{"rename_note", map[string]any{"old_name": "Else", "new_name": "B"}, "In"}, // whose link would change
		{"delete_note", map[string]any{"name": "Else", "dry_run": true}, "In"},
	} {
		_, err := c.call(c.tools, test.tool, test.arguments)
		if fault.KindOf(err) != fault.Conflict || !errors.Is(err, store.ErrUnresolved) || !strings.Contains(err.Error(), "'"+test.about+".md'") {
			t.Errorf("%s %v: %v", test.tool, test.arguments, err)
		}
		if hint := fault.HintOf(err); !strings.Contains(hint, "revision="+sides[test.about]) {
			t.Errorf("%s %v: (%s)", test.tool, test.arguments, hint)
		}
	}
	if diff := cmp.Diff(files, c.store.Files()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	c.mustCall("delete_note", map[string]any{"name": "To A"}) // it does not touch A
}

// TestConflictsOfClosedNotesAreHidden: if a closed note in conflict links to an open one,
// the open one is renamed or deleted as if the closed one did not exist.
func TestConflictsOfClosedNotesAreHidden(t *testing.T) {
	open := map[string]string{"Plan.md": "plan", "Open.md": "[[Plan]]"}
	closed := map[string]string{"Plan.md": "plan", "Open.md": "[[Plan]]", "private/Note.md": "[[Plan]]"}
	for name, arguments := range map[string]map[string]any{
		"rename_note": {"old_name": "Plan", "new_name": "Goals"},
		"delete_note": {"name": "Plan"},
	} {
		with, without := openCanary(t, closed, withoutPrivate(t), nil), openCanary(t, open, withoutPrivate(t), nil)
		side := with.store.Diverge("private/Note.md", []byte("[[Plan]] too"))
		if got, want := with.ask(name, arguments), without.ask(name, arguments); got != want {
			t.Errorf("%s: %s, without the closed note %s", name, got, want)
		}
		if got := with.store.Files()["private/Note.md"]; got != "[[Plan]]" {
			t.Errorf("%s: the closed note became %q", name, got)
		}
		read := map[string]any{"name": "private/Note", "revision": string(side)}
		if got, want := with.ask("read_note", read), without.ask("read_note", read); got != want || !strings.HasPrefix(got, "NOT_FOUND") {
			t.Errorf("the closed note's side: %s, without it %s", got, want)
		}
	}
}

// divergesOnce is a store in which a closed note gets into conflict just before the first
// commit.
type divergesOnce struct {
	*mem.Store
	commits int
	late    bool // reads do not show the conflict
}

func (s *divergesOnce) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	return mem.ReadEach(ctx, s, paths, limit)
}

func (s *divergesOnce) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	file, err := s.Store.Read(ctx, path, limit)
	if s.late {
		file.Conflicts = nil
	}
	return file, err
}

func (s *divergesOnce) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if s.commits++; s.commits == 1 {
		s.Diverge("private/Note.md", []byte("theirs"))
	}
	return s.Store.Commit(ctx, changes)
}

// TestConflictDuringRename: for a limited caller the next attempt succeeds; the owner gets
// the error at once.
func TestConflictDuringRename(t *testing.T) {
	for _, test := range []struct {
		who     string
		open    scope.Scope
		late    bool
		commits int
		done    bool
	}{
		{"limited", withoutPrivate(t), false, 2, true},
		{"owner", scope.Scope{}, false, 1, false},
		{"owner, late", scope.Scope{}, true, 1, false},
	} {
		s := &divergesOnce{Store: mem.New(map[string]string{"Plan.md": "plan", "private/Note.md": "[[Plan]]"}), late: test.late}
		v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
		t.Cleanup(func() { v.Close() })
		o, _ := ops.New(v.View(test.open), ops.Options{TagPolicy: ops.TagsOff})
		_, err := o.RenameNote(t.Context(), ops.RenameNote{OldName: "Plan", NewName: "Goals"})
		if (err == nil) != test.done || !test.done && !errors.Is(err, store.ErrUnresolved) || s.commits != test.commits {
			t.Errorf("%s: after %d commits: %v", test.who, s.commits, err)
		}
	}
}

package livesync_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// lostLines lists what a sync has dropped.
func lostLines(t *testing.T, s *livesync.Store) (lines []string) {
	t.Helper()
	sum, err := s.Lost(t.Context(), func(int, int) {}, func(line livesync.LostLine) {
		lines = append(lines, fmt.Sprintf("%s:%d: %s: %s", line.Path, line.Line, line.Text, line.How))
		if line.Rev == "" || line.Modified.IsZero() {
			t.Errorf("%+v", line)
		}
	})
	if err != nil || sum.Lines != len(lines) || sum.Notes == 0 || sum.Revisions < sum.Notes {
		t.Fatalf("%+v, %v", sum, err)
	}
	slices.Sort(lines)
	return lines
}

// TestLost: lines are listed that were dropped with a side of a conflict, by a careless merge, or by an old version that came back;
// what was joined, edited or deleted on purpose is not.
func TestLost(t *testing.T) {
	t.Parallel()
	const base = "one two three\nkeep\nremove\n"
	for name, test := range map[string]struct {
		ours, theirs, then string // theirs is removed; then "then" is written, if not ""
		want               []string
	}{
		"nothing is dropped":        {"ours\n" + base, base + "theirs\n", "ours\n" + base + "theirs\n", nil},
		"a side is dropped":         {"ours\n" + base, base + "theirs\n", "", []string{"A.md:4: theirs: " + string(livesync.LostBranch)}},
		"a merge drops our side":    {"ours\n" + base, base + "theirs\n", base + "theirs\n", []string{"A.md:1: ours: " + string(livesync.LostMerge)}},
		"joined word by word":       {"ONE two three\nkeep\nremove\n", "one two THREE\nkeep\nremove\n", "ONE two THREE\nkeep\nremove\n", nil},
		"deleted on purpose":        {"keep\n", "one two three\nkeep\n", "keep\n", nil},
		"an old version comes back": {"ours\n" + base, base, base, []string{"A.md:1: ours: " + string(livesync.LostReverted)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := couchtest.New(t)
			s := openOn(t, database, &network{}, livesync.Options{})
			create(t, s, "B.md", "another\n")
			rev := create(t, s, "A.md", base)
			results := commit(t, s, store.Change{Path: "A.md", Base: rev, Data: []byte(test.ours)})
			theirs := branchOff(t, database, "A.md", rev, test.theirs)
			if lines := lostLines(t, s); len(lines) > 0 {
				t.Errorf("while there is a conflict: %q", lines)
			}
			database.Branches(t, map[string]any{
				"_id": idOf(t, database, "A.md"), "_rev": "3-00000000000000000000000000000099", "_deleted": true,
				"_revisions": map[string]any{"start": 3, "ids": []string{"00000000000000000000000000000099", strings.TrimPrefix(string(theirs), "2-")}},
			})
			eventually(t, "the conflict is gone", func() bool {
				info, err := s.Stat(t.Context(), "A.md")
				return err == nil && len(info.Conflicts) == 0
			})
			if test.then != "" {
				commit(t, s, store.Change{Path: "A.md", Base: results[0].Rev, Data: []byte(test.then)})
			}
			if lines := lostLines(t, s); !slices.Equal(lines, test.want) {
				t.Errorf("got %q, want %q", lines, test.want)
			}
			compact(t, database)
			if lines := lostLines(t, s); len(lines) > 0 {
				t.Errorf("after a clean-up: %q", lines)
			}
		})
	}
}

// idOf returns the id of a file's document.
func idOf(t *testing.T, database *couchtest.Database, path vpath.Path) string {
	t.Helper()
	id, _ := readRaw(t, database, "").document(t, string(path))["_id"].(string)
	return id
}

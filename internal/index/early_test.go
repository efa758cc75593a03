package index_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/regex"
)

// A snapshot without words gives the same answers as the complete one, also after changes, and its changes can be applied to
// the complete one.
func TestSnapshotWithoutWordsAnswersTheRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var parser index.Parser
		draw := func(paths []vpath.Path) []*index.Entry {
			var entries []*index.Entry
			for _, path := range paths {
				entries = append(entries, parser.Parse(path, []byte(rapid.SampledFrom(texts).Draw(t, "text"))).Detach())
			}
			return entries
		}
		chosen := rapid.SliceOfDistinct(rapid.SampledFrom(paths), rapid.ID)
		early, whole := index.NewInSteps(draw(chosen.Draw(t, "files")), nil)
		same(t, early, whole)
		change := index.Change{Updated: draw(chosen.Draw(t, "updated"))}
		for _, path := range chosen.Draw(t, "removed") {
			if !slices.ContainsFunc(change.Updated, func(entry *index.Entry) bool { return entry.Path == path }) {
				change.Removed = append(change.Removed, path)
			}
		}
		changed := early.With(change)
		same(t, changed, whole.With(changed.Since(early)))
	})
}

// same fails the test unless both snapshots give the same answers and only the second has words.
func same(t *rapid.T, early, whole *index.Snapshot) {
	t.Helper()
	if early.HasWords() || !whole.HasWords() {
		t.Fatalf("the early snapshot has words: %t; the whole one: %t", early.HasWords(), whole.HasWords())
	}
	for _, s := range []struct{ early, whole *index.Snapshot }{
		{early, whole}, {early.Through(odd), whole.Through(odd)},
	} {
		if diff := cmp.Diff(answers(s.whole), answers(s.early)); diff != "" {
			t.Fatalf("whole (-), early (+):\n%s", diff)
		}
		if diff := cmp.Diff(lines(t, s.whole), lines(t, s.early)); diff != "" {
			t.Fatalf("lines of the whole (-) and of the early (+) snapshot:\n%s", diff)
		}
	}
}

// odd shows half of the files.
var odd = &index.Window{Key: "odd", Open: func(path vpath.Path) bool { return len(path)%2 == 1 }}

// lines returns the lines of a snapshot that match a pattern.
func lines(t *rapid.T, s *index.Snapshot) []index.Line {
	t.Helper()
	pattern, err := regex.Compile(`one|\[\[[aA]`, regex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := s.Grep(t.Context(), index.Grep{Pattern: pattern}, 100)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Indexing words later produces the same bytes as indexing them at once, when texts are packed too.
func TestWordsReadAfterwardsAreTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var parser index.Parser
		var entries [2][]*index.Entry
		for _, path := range paths {
			text := rapid.SampledFrom(texts).Draw(t, "text")
			for i := range entries {
				entries[i] = append(entries[i], parser.Parse(path, []byte(text)).Detach())
			}
		}
		if diff := cmp.Diff(index.Parts(entries[0], false), index.Parts(entries[1], true)); diff != "" {
			t.Errorf("at once (-), afterwards (+):\n%s", diff)
		}
	})
}

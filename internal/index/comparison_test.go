package index_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// A comparison knows the files of a snapshot whose marks are the same, whatever the order in which several scanners ask, and has not seen the
// others.
func TestComparison(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var parser index.Parser
		marked := func(files map[vpath.Path]string) (entries []*index.Entry) {
			for _, path := range paths { // in the order in which they are asked for, mostly
				if mark, has := files[path]; has {
					entry := parser.Parse(path, nil).Detach()
					entry.Mark = mark
					entries = append(entries, entry)
				}
			}
			return entries
		}
		some := rapid.MapOf(rapid.SampledFrom(paths), rapid.SampledFrom([]string{"one", "two"}))
		indexed, updated := some.Draw(t, "indexed"), some.Draw(t, "updated")
		change := index.Change{Updated: marked(updated)}
		for path := range some.Draw(t, "removed") {
			if _, has := updated[path]; !has {
				change.Removed = append(change.Removed, path)
			}
		}
		slices.Sort(change.Removed)
		want := map[vpath.Path]string{}
		for path, mark := range indexed {
			if !slices.Contains(change.Removed, path) {
				want[path] = mark
			}
		}
		for path, mark := range updated {
			want[path] = mark
		}
		comparison := index.New(marked(indexed), nil).With(change).Compare()
		scanners := []func(path, mark []byte) bool{comparison.Known(), comparison.Known()}
		seen := map[vpath.Path]bool{}
		ask := func(path vpath.Path, mark string) {
			known := rapid.SampledFrom(scanners).Draw(t, "scanner")([]byte(path), []byte(mark))
			if known != (want[path] == mark) {
				t.Fatalf("%s with the mark %s is known: %t", path, mark, known)
			}
			seen[path] = seen[path] || known
		}
		for _, path := range paths {
			ask(path, rapid.SampledFrom([]string{"one", "two"}).Draw(t, "mark"))
		}
		for range rapid.IntRange(0, 8).Draw(t, "more") {
			ask(rapid.SampledFrom(paths).Draw(t, "path"), rapid.SampledFrom([]string{"one", "two"}).Draw(t, "mark"))
		}
		var unseen []vpath.Path
		for path := range want {
			if !seen[path] {
				unseen = append(unseen, path)
			}
		}
		got := slices.Collect(comparison.Unseen)
		if slices.Sort(unseen); !slices.Equal(slices.Sorted(slices.Values(got)), unseen) {
			t.Fatalf("unseen are %v instead of %v", got, unseen)
		}
		if seen := comparison.Seen(); seen != len(want)-len(unseen) {
			t.Fatalf("%d files were seen", seen)
		}
	})
}

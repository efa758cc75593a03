package vpath_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/testkit/mode"
)

// listTable is a Table that searches all its paths every time. The empty path stands for a deleted entry.
type listTable []vpath.Path

func (t listTable) Len() int                { return len(t) }
func (t listTable) Path(i int32) vpath.Path { return t[i] }
func (t listTable) Key(i int32) vpath.Key   { return t[i].Key() }

func (t listTable) ByKey(key []byte) []int32 {
	return t.choose(func(k vpath.Key) bool { return k == vpath.Key(key) })
}

func (t listTable) Named(baseKey []byte) []int32 {
	return t.choose(func(k vpath.Key) bool { return k.Base() == vpath.Key(baseKey) })
}

func (t listTable) Ending(tail, baseKey []byte) []int32 {
	return t.choose(func(k vpath.Key) bool {
		return k.Base() == vpath.Key(baseKey) && strings.HasSuffix(string(k), string(tail))
	})
}

func (t listTable) choose(fits func(vpath.Key) bool) []int32 {
	var found []int32
	for i, path := range t {
		if path != "" && fits(path.Key()) {
			found = append(found, int32(i))
		}
	}
	slices.SortFunc(found, func(a, b int32) int { return vpath.Compare(t[a], t[b]) })
	return found
}

// TestSetsAnswerAlikeOnAnyTable compares a set on a listTable with a set in memory, while paths come and go.
func TestSetsAnswerAlikeOnAnyTable(t *testing.T) {
	random := mode.Rand(2)
	path := func() vpath.Path {
		folders := []string{"", "a/", "b/", "a/b/", "A/", "c/a/b/"}
		names := []string{"n.md", "N.md", "m.md", "p.png", "a.md"}
		return vpath.Path(folders[random.IntN(len(folders))] + names[random.IntN(len(names))])
	}
	draw := func(count int) []vpath.Path {
		seen := map[vpath.Path]bool{}
		for range count {
			seen[path()] = true
		}
		return slices.Sorted(maps.Keys(seen))
	}
	links := []string{
		"n", "N", "a/n", "b/n", "a/b/n", "/n", "/a/n", "./n", "../n", "p.png", "a", "c/a/b/m", "x/n", "n.md", "/a/n.md",
		"b/p.png",
	}
	for round := range 300 {
		base := draw(1 + random.IntN(20))
		memory, other := vpath.NewSet(base), vpath.SetOf(append(listTable{""}, base...))
		removed, added := draw(4), draw(4)
		memory, other = memory.With(removed, added), other.With(removed, added)
		for _, link := range links {
			source := path()
			a, b := memory.From(source), other.From(source)
			want, exists := a.Resolve(link)
			if got, ok := b.Resolve(link); got != want || ok != exists {
				t.Fatalf("round %d: [[%s]] in %s is %q in memory and %q on the list of %q",
					round, link, source, want, got, slices.Collect(memory.All()))
			}
		}
		probe := path()
		if got, want := other.IsUnique(probe), memory.IsUnique(probe); got != want {
			t.Fatalf("round %d: IsUnique(%q) = %v on the list, %v in memory", round, probe, got, want)
		}
		if got, want := other.Named(probe.Base()), memory.Named(probe.Base()); !slices.Equal(got, want) {
			t.Fatalf("round %d: Named(%q) = %q on the list, %q in memory", round, probe.Base(), got, want)
		}
	}
}

func TestIsUniqueComparesBaseNames(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"a/Note.md", "b/note.md", "Only.md"})
	for path, want := range map[vpath.Path]bool{
		"Only.md":   true,
		"a/Note.md": false,
		"b/note.md": false,
		"x/Only.md": false,
		"absent.md": false,
	} {
		if got := set.IsUnique(path); got != want {
			t.Errorf("IsUnique(%q) = %v, want %v", path, got, want)
		}
	}
	if without := set.With([]vpath.Path{"b/note.md"}, nil); !without.IsUnique("a/Note.md") {
		t.Error("a/Note.md is not unique after b/note.md was removed")
	}
}

func TestAllStopsAtABreak(t *testing.T) {
	seen := 0
	for range vpath.NewSet([]vpath.Path{"a.md", "b.md", "c.md"}).All() {
		if seen++; seen == 2 {
			break
		}
	}
	if seen != 2 {
		t.Errorf("All yielded %d paths, want 2", seen)
	}
}

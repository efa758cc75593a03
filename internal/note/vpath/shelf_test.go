package vpath_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/vpath"
)

// plainShelf is a lot of paths that are gone through one by one, as a shelf
// that is not in memory could be.
type plainShelf []vpath.Path

func (on plainShelf) Len() int                { return len(on) }
func (on plainShelf) Path(i int32) vpath.Path { return on[i] }
func (on plainShelf) Key(i int32) vpath.Key   { return on[i].Key() }

func (on plainShelf) ByKey(key []byte) []int32 {
	return on.choose(func(of vpath.Key) bool { return of == vpath.Key(key) })
}

func (on plainShelf) Named(baseKey []byte) []int32 {
	return on.choose(func(of vpath.Key) bool { return of.Base() == vpath.Key(baseKey) })
}

func (on plainShelf) Ending(tail, baseKey []byte) []int32 {
	return on.choose(func(of vpath.Key) bool {
		return of.Base() == vpath.Key(baseKey) && strings.HasSuffix(string(of), string(tail))
	})
}

func (on plainShelf) choose(fits func(vpath.Key) bool) []int32 {
	var found []int32
	for i, path := range on {
		if path != "" && fits(path.Key()) {
			found = append(found, int32(i))
		}
	}
	slices.SortFunc(found, func(a, b int32) int { return vpath.Compare(on[a], on[b]) })
	return found
}

// TestShelvesAnswerAlike compares a set on a shelf of another kind with one in
// memory, while paths come and go.
func TestShelvesAnswerAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
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
		var paths []vpath.Path
		for one := range seen {
			paths = append(paths, one)
		}
		return paths
	}
	links := []string{"n", "N", "a/n", "b/n", "a/b/n", "/n", "/a/n", "./n", "../n", "p.png", "a", "c/a/b/m", "x/n", "n.md", "/a/n.md", "b/p.png"}
	for round := range 300 {
		base := draw(1 + random.IntN(20))
		memory, other := vpath.NewSet(base), vpath.SetOf(append(plainShelf{""}, base...))
		removed, added := draw(4), draw(4)
		memory, other = memory.With(removed, added), other.With(removed, added)
		for _, link := range links {
			source := path()
			a, b := memory.From(source), other.From(source)
			want, known := a.Resolve(link)
			if got, ok := b.Resolve(link); got != want || ok != known {
				t.Fatalf("round %d: [[%s]] in %s is %q on one shelf and %q on another, of %q", round, link, source, want, got, slices.Collect(memory.All()))
			}
		}
		one := path()
		if memory.IsUnique(one) != other.IsUnique(one) || fmt.Sprint(memory.Named(one.Base())) != fmt.Sprint(other.Named(one.Base())) {
			t.Fatalf("round %d: %s is unique on one shelf alone", round, one)
		}
	}
}

func TestIsUnique(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"a/Note.md", "b/note.md", "Only.md"})
	for path, want := range map[vpath.Path]bool{"a/Note.md": false, "b/note.md": false, "Only.md": true, "x/Only.md": false, "absent.md": false} {
		if got := set.IsUnique(path); got != want {
			t.Errorf("IsUnique(%q) = %v", path, got)
		}
	}
	if without := set.With([]vpath.Path{"b/note.md"}, nil); !without.IsUnique("a/Note.md") {
		t.Error("a name is not unique after the other has gone")
	}
}

func TestAllStopsWhenAsked(t *testing.T) {
	seen := 0
	for range vpath.NewSet([]vpath.Path{"a.md", "b.md", "c.md"}).All() {
		if seen++; seen == 2 {
			break
		}
	}
	if seen != 2 {
		t.Errorf("%d paths after two were asked for", seen)
	}
}

package vpath_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/testkit/mode"
)

func TestFindPrefersTheSpellingAskedFor(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"b/note.md", "b/Note.md", "b/NOTE.md", "b/Note.md"})
	if set.Len() != 3 {
		t.Errorf("Len() = %d, want 3", set.Len())
	}
	for asked, want := range map[vpath.Path]vpath.Path{
		"b/note.md": "b/note.md",
		"b/Note.md": "b/Note.md",
		"B/nOTE.md": "b/NOTE.md",
	} {
		if got, ok := set.Find(asked); !ok || got != want {
			t.Errorf("Find(%q) = %q, %v; want %q", asked, got, ok, want)
		}
	}
	if got, ok := set.Find("b/other.md"); ok {
		t.Errorf("Find(a missing path) = %q", got)
	}
}

func TestNamedIsBestFirst(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"zz/Note.md", "a/b/Note.md", "aa/note.md", "Other.md"})
	set = set.With([]vpath.Path{"zz/Note.md"}, []vpath.Path{"x/NOTE.md"})
	got := set.Named("Note.md")
	if want := []vpath.Path{"x/NOTE.md", "aa/note.md", "a/b/Note.md"}; !slices.Equal(got, want) {
		t.Errorf("Named = %q, want %q", got, want)
	}
}

func TestResolveUnusualLinks(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"a/b/Note.md", "a/Dir/x.md", "pic.png.md", "pic.png", "deep/a/b/c.md"})
	from := set.From("a/b/src.md")
	for link, want := range map[string]vpath.Path{
		"  Note ": "a/b/Note.md", `b\Note`: "a/b/Note.md", "a//b/Note": "a/b/Note.md", "Note/": "a/b/Note.md",
		"../Dir/x": "a/Dir/x.md", "./../b/./Note": "a/b/Note.md", "/a/b/Note": "a/b/Note.md", "/Note": "",
		"../../../x": "", "..": "", ".": "", "../": "", "./": "", "../../Dir/..": "",
		"pic.png": "pic.png", "pic.png.md": "pic.png.md", "nOtE.Md": "a/b/Note.md", "b/c": "deep/a/b/c.md",
		"": "a/b/src.md",
	} {
		if got, _ := from.Resolve(link); got != want {
			t.Errorf("Resolve(%q) = %q, want %q", link, got, want)
		}
	}
}

func TestResolveAmongTwinsAndManyFilesOfOneName(t *testing.T) {
	twins := vpath.NewSet([]vpath.Path{"Note.md", "note.md"})
	from := twins.From("s.md")
	for link, want := range map[string]vpath.Path{
		"note":    "note.md",
		"Note":    "Note.md",
		"note.md": "note.md",
		"NOTE":    "Note.md",
	} {
		if got, _ := from.Resolve(link); got != want {
			t.Errorf("Resolve(%q) = %q, want %q", link, got, want)
		}
	}
	var paths []vpath.Path
	for i := range 100 {
		paths = append(paths, vpath.Path(fmt.Sprintf("area/d%d/index.md", i)))
	}
	from = vpath.NewSet(paths).From("s.md")
	for link, want := range map[string]vpath.Path{
		"d7/index":      "area/d7/index.md",
		"area/d7/index": "area/d7/index.md",
		"x/d7/index":    "",
		"index":         "area/d0/index.md",
	} {
		if got, _ := from.Resolve(link); got != want {
			t.Errorf("Resolve(%q) = %q, want %q", link, got, want)
		}
	}
}

// TestWithEqualsNewSet checks that a set changed by With answers like a new set of the same paths.
func TestWithEqualsNewSet(t *testing.T) {
	name := rapid.SampledFrom([]string{"A", "a", "B", "c/A", "c/a", "c/d/A", "Ä", "A\u0308", "c/B", "d/d/d/B"})
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (paths []vpath.Path) {
			for _, name := range rapid.SliceOfN(name, 0, 6).Draw(t, label) {
				paths = append(paths, vpath.Path(name+".md"))
			}
			return paths
		}
		start := draw("start")
		grown := vpath.NewSet(start)
		members := map[vpath.Path]bool{}
		for _, path := range start {
			members[path] = true
		}
		for range rapid.IntRange(0, 4).Draw(t, "steps") {
			removed, added := draw("removed"), draw("added")
			grown = grown.With(removed, added)
			for _, path := range removed {
				delete(members, path)
			}
			for _, path := range added {
				members[path] = true
			}
		}
		fresh := vpath.NewSet(slices.Collect(maps.Keys(members)))
		got, want := slices.Sorted(grown.All()), slices.Sorted(fresh.All())
		if !slices.Equal(got, want) || grown.Len() != len(members) {
			t.Fatalf("With gives %q (Len %d), NewSet %q", got, grown.Len(), want)
		}
		for _, link := range []string{"A", "a", "B", "c/A", "d/A", "Ä", "./A", "../A", "nope"} {
			for _, source := range []vpath.Path{"s.md", "c/s.md", "c/d/s.md"} {
				a, b := grown.From(source), fresh.From(source)
				got, _ := a.Resolve(link)
				want, _ := b.Resolve(link)
				if got != want {
					t.Fatalf("%q from %q: With gives %q, NewSet %q; the paths are %v", link, source, got, want, members)
				}
			}
		}
	})
}

func TestWithKeepsEveryPathWhenItCompacts(t *testing.T) {
	set := vpath.NewSet(nil)
	const total, step = 5000, 40 // passes the limit of 1024 four times
	for i := 0; i < total; i += step {
		var added []vpath.Path
		for j := range step {
			added = append(added, vpath.Path(fmt.Sprintf("n%d.md", i+j)))
		}
		set = set.With(nil, added)
	}
	if set.Len() != total {
		t.Errorf("Len() = %d, want %d", set.Len(), total)
	}
	for i := range total {
		if _, ok := set.Find(vpath.Path(fmt.Sprintf("N%d.md", i))); !ok {
			t.Errorf("n%d.md is missing", i)
		}
	}
}

// bigVault returns 100,000 paths in 1,000 folders and 10,000 links to them. One path in ten shares its name with nine
// others.
func bigVault() (paths []vpath.Path, links []string) {
	random := mode.Rand(1)
	for i := range 100_000 {
		folder := fmt.Sprintf("Area %d/Topic %d", i%37, i%1000)
		name := fmt.Sprintf("Note about subject %d", i)
		if i%10 == 0 {
			name = fmt.Sprintf("Shared name %d", i/100)
		}
		paths = append(paths, vpath.Path(folder+"/"+name+".md"))
	}
	for range 10_000 {
		target := paths[random.IntN(len(paths))]
		switch random.IntN(4) {
		case 0:
			links = append(links, target.WithoutExt())
		case 1:
			links = append(links, string(target))
		default:
			links = append(links, target.Name())
		}
		if random.IntN(10) == 0 {
			links[len(links)-1] += " missing"
		}
	}
	return paths, links
}

// BenchmarkResolve resolves a link in a vault of 100,000 files.
func BenchmarkResolve(b *testing.B) {
	paths, links := bigVault()
	set := vpath.NewSet(paths)
	resolver := set.From("Area 1/Topic 1/source.md")
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		resolver.Resolve(links[i%len(links)])
		i++
	}
}

// BenchmarkNewSet builds the set of 100,000 files.
func BenchmarkNewSet(b *testing.B) {
	paths, _ := bigVault()
	b.ReportAllocs()
	for b.Loop() {
		vpath.NewSet(paths)
	}
}

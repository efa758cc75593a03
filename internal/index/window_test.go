package index_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/regex"
)

// windowPaths are open, unless they are below "x" or end in ".secret.md".
var windowPaths = []vpath.Path{
	"A.md", "x/A.md", "y/A.md", "B.md", "x/B.md", "y/x/C.md", "x/y/C.md", "A.md.md", "board.canvas", "x/board.canvas", "pic.png", "x/pic.png", "x/data.txt", "é.md",
	"only/one.secret.md", "mixed/two.secret.md", "mixed/Star.md", "x/Star.md", "Wars.secret.md", "deep/er/D.md", "deep/er/D.secret.md",
}

var window = &index.Window{
	Key:  "w",
	Open: func(path vpath.Path) bool { return !path.In("x") && !strings.HasSuffix(string(path), ".secret.md") },
}

// drawWindowText mixes words with links and tags, so that what is closed has
// names, tags, links and words in common with what is open.
func drawWindowText(t *rapid.T, path vpath.Path) string {
	text := rapid.SampledFrom(texts).Draw(t, "links") + "\n" + drawText(t, "text")
	if path.IsCanvas() {
		return fmt.Sprintf(`{"nodes":[{"type":"file","file":"x/A.md"},{"type":"text","text":%q}]}`, strings.ToValidUTF8(text, ""))
	}
	if !path.IsNote() {
		return text
	}
	return rapid.SampledFrom([]string{"", "", "---\ntags: [One, closed]\nstatus: draft\n---\n", "---\ntags: [one]\nup: \"[[A]]\"\n---\n"}).Draw(t, "front") + text
}

// drawWholeVault makes a vault by changes, part of it in the base.
func drawWholeVault(t *rapid.T) (*index.Snapshot, map[vpath.Path]string) {
	var parser index.Parser
	vault := map[vpath.Path]string{}
	now := index.New(nil, nil)
	steps := rapid.IntRange(1, 24).Draw(t, "steps")
	consolidated := rapid.IntRange(0, steps).Draw(t, "consolidated")
	for step := range steps {
		path := rapid.SampledFrom(windowPaths).Draw(t, "path")
		if _, there := vault[path]; there && rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
			delete(vault, path)
			change := index.Change{Removed: []vpath.Path{path}}
			for folder := path.Dir(); folder != "" && !holds(vault, folder); folder = folder.Dir() {
				change.FoldersGone = append(change.FoldersGone, folder)
			}
			now = now.With(change)
		} else {
			vault[path] = drawWindowText(t, path)
			now = now.With(index.Change{Updated: []*index.Entry{parser.Parse(path, []byte(vault[path])).Keep()}})
		}
		if rapid.IntRange(0, 4).Draw(t, "look") == 0 {
			now.Through(window).Names()
		}
		if step == consolidated {
			now, _ = now.Rebuild(context.Background(), new(index.Memory))
		}
	}
	return now, vault
}

func holds(vault map[vpath.Path]string, folder vpath.Path) bool {
	for path := range vault {
		if path.In(folder) {
			return true
		}
	}
	return false
}

// openOnly is a snapshot of a vault that never had what is closed.
func openOnly(vault map[vpath.Path]string) *index.Snapshot {
	var parser index.Parser
	var entries []*index.Entry
	var folders []vpath.Path
	for path, text := range vault {
		if !window.Open(path) {
			continue
		}
		entries = append(entries, parser.Parse(path, []byte(text)).Keep())
		for folder := path.Dir(); folder != ""; folder = folder.Dir() {
			folders = append(folders, folder)
		}
	}
	return index.New(entries, folders)
}

// seen is everything that a snapshot can be asked, texts included.
func seen(t *rapid.T, s *index.Snapshot, asked []string) map[string]any {
	all := answers(s)
	all["folders"] = slices.Sorted(s.Folders)
	all["files"] = slices.Sorted(s.Files)
	s.Entries(func(entry *index.Entry) bool {
		all["entry "+string(entry.Path)] = []any{entry.Front, entry.Tags, entry.Aliases, entry.Headings, entry.Links, entry.Hash(), s.Text(entry.Path), s.Name(entry.Path)}
		return true
	})
	for _, path := range windowPaths {
		settled, existing := s.Settle(path)
		_, isFolder := s.Folder(path.Dir())
		all["about "+string(path)] = fmt.Sprint(s.Has(path), s.Entry(path) != nil, s.Paths.IsUnique(path), s.Sources(path), s.Outgoing(path), settled, existing, isFolder, s.Text(path))
		found, err := s.Find(path.Name())
		all["name "+string(path)] = fmt.Sprint(found, err)
		for _, target := range windowPaths {
			resolver := s.Paths.From(path)
			to, ok := resolver.Resolve(target.WithoutExt())
			all["link "+string(path)+" to "+string(target)] = fmt.Sprint(to, ok)
		}
	}
	for _, word := range words {
		all["weight "+word] = s.Weight(word)
		all["containing "+word] = slices.Sorted(slices.Values(s.Containing(word)))
		all["matching "+word] = s.Matching(word, false)
	}
	for _, text := range asked {
		all["search "+text] = searched(t, s, text)
	}
	for _, pattern := range []string{"a", "(?i)star|wars", `\[\[`, "мир", "^$"} {
		compiled, err := regex.Compile(pattern, regex.Options{})
		if err != nil {
			t.Fatal(err)
		}
		lines, more, _ := s.Grep(t.Context(), index.Grep{Pattern: compiled}, 5)
		count, files, _ := s.GrepCount(t.Context(), index.Grep{Pattern: compiled})
		all["grep "+pattern] = []any{lines, more, count, files}
	}
	return all
}

func searched(t *rapid.T, s *index.Snapshot, text string) any {
	q, err := search.Parse(text, search.Options{})
	if err != nil {
		return nil
	}
	results, err := s.Search(t.Context(), index.Search{Query: q, Limit: 30})
	if err != nil {
		t.Fatal(err)
	}
	found := map[vpath.Path]string{}
	for _, one := range results.Found {
		found[one.Path] = fmt.Sprint(math.Round(one.Score*1e4)/1e4, one.Partial, s.Snippet(q, one.Path))
	}
	return []any{results.Total, found}
}

// TestWindowShowsNothingElse: through a window, a vault answers like one in
// which there never was anything but what it shows.
func TestWindowShowsNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, vault := drawWholeVault(t)
		asked := []string{"", "star", "strar wars", "tag:one", "[status:draft]", "file:A", "path:x"}
		for range 4 {
			asked = append(asked, drawQuery(t, 0))
		}
		if diff := cmp.Diff(seen(t, openOnly(vault), asked), seen(t, s.Through(window), asked)); diff != "" {
			t.Errorf("without what is closed (-), through the window (+):\n%s", diff)
		}
		again, err := s.Through(window).Rebuild(t.Context(), new(index.Memory))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(answers(again), answers(s.Through(window))); diff != "" {
			t.Errorf("rebuilt (-), through the window (+):\n%s", diff)
		}
	})
}

// TestWindowIsMadeOnce: whoever asks at the same time gets the same snapshot,
// and names are found out anew only when files come or go.
func TestWindowIsMadeOnce(t *testing.T) {
	var parser index.Parser
	s := index.New([]*index.Entry{parser.Parse("A.md", []byte("a")), parser.Parse("x/B.md", []byte("b"))}, []vpath.Path{"x"})
	all := make([]*index.Snapshot, 8)
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { all[i] = s.Through(window) })
	}
	wait.Wait()
	for _, one := range all {
		if one != all[0] {
			t.Fatal("it was made twice")
		}
	}
	edited := s.With(index.Change{Updated: []*index.Entry{parser.Parse("A.md", []byte("a2")).Keep()}}).Through(window)
	if before, after := all[0].Names(), edited.Names(); &before[0] != &after[0] || edited.Text("A.md") != "a2" {
		t.Error("an edit made the names be found out anew")
	}
}

// TestFoldersAreShownForTheirFiles: one that is empty and one that holds only
// what is closed look alike, and what is closed does not spell any.
func TestFoldersAreShownForTheirFiles(t *testing.T) {
	var parser index.Parser
	s := index.New([]*index.Entry{parser.Parse("Mixed/a.secret.md", nil), parser.Parse("Two/a.md", nil), parser.Parse("two/b.md", nil)}, []vpath.Path{"empty", "Mixed", "x", "x/sub", "two", "Two"})
	for _, step := range []struct {
		change index.Change
		want   []vpath.Path
	}{
		{index.Change{}, []vpath.Path{"Two"}},
		{index.Change{Updated: []*index.Entry{{Path: "empty/b.secret.md"}}, Removed: []vpath.Path{"Two/a.md"}}, []vpath.Path{"two"}},
		{index.Change{Updated: []*index.Entry{{Path: "mixed/b.md"}}}, []vpath.Path{"mixed", "two"}},
		{index.Change{Updated: []*index.Entry{{Path: "Mixed/c.md"}}}, []vpath.Path{"Mixed", "two"}},
		{index.Change{Removed: []vpath.Path{"mixed/b.md", "Mixed/c.md"}}, []vpath.Path{"two"}},
		{index.Change{Removed: []vpath.Path{"Mixed/a.secret.md"}}, []vpath.Path{"two"}},
		{index.Change{FoldersGone: []vpath.Path{"Mixed"}, Folders: []vpath.Path{"new/one", "x/two"}}, []vpath.Path{"two"}},
	} {
		s = s.With(step.change)
		if got := slices.Sorted(s.Through(window).Folders); !slices.Equal(got, step.want) {
			t.Errorf("after %+v: %q, want %q", step.change, got, step.want)
		}
	}
}

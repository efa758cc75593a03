package index_test

import (
	"context"
	"fmt"
	"maps"
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

// windowPaths are open unless they are below "x" or end in ".secret.md".
var windowPaths = []vpath.Path{
	"A.md", "x/A.md", "y/A.md", "B.md", "x/B.md", "y/x/C.md", "x/y/C.md", "A.md.md",
	"board.canvas", "x/board.canvas", "pic.png", "x/pic.png", "x/data.txt", "é.md",
	"only/one.secret.md", "mixed/two.secret.md", "mixed/Star.md",
	"x/Star.md", "Wars.secret.md", "deep/er/D.md", "deep/er/D.secret.md",
}

var window = &index.Window{
	Key:  "w",
	Open: func(path vpath.Path) bool { return !path.In("x") && !strings.HasSuffix(string(path), ".secret.md") },
}

// drawWindowText mixes words with links and tags, so that closed and open files share names, tags, links and words.
func drawWindowText(t *rapid.T, path vpath.Path) string {
	text := rapid.SampledFrom(texts).Draw(t, "links") + "\n" + drawText(t, "text")
	if path.IsCanvas() {
		const canvas = `{"nodes":[{"type":"file","file":"x/A.md"},{"type":"text","text":%q}]}`
		return fmt.Sprintf(canvas, strings.ToValidUTF8(text, ""))
	}
	if !path.IsNote() {
		return text
	}
	fronts := []string{
		"", "", "---\ntags: [One, closed]\nstatus: draft\n---\n", "---\ntags: [one]\nup: \"[[A]]\"\n---\n",
	}
	return rapid.SampledFrom(fronts).Draw(t, "front") + text
}

// drawWholeVault makes a snapshot by changes, with some of the files in the base.
func drawWholeVault(t *rapid.T) (*index.Snapshot, map[vpath.Path]string) {
	var parser index.Parser
	vault := map[vpath.Path]string{}
	now := index.New(nil, nil)
	steps := rapid.IntRange(1, 24).Draw(t, "steps")
	consolidated := rapid.IntRange(0, steps).Draw(t, "consolidated")
	for step := range steps {
		path := rapid.SampledFrom(windowPaths).Draw(t, "path")
		if _, exists := vault[path]; exists && rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
			delete(vault, path)
			change := index.Change{Removed: []vpath.Path{path}}
			for folder := path.Dir(); folder != "" && !holds(vault, folder); folder = folder.Dir() {
				change.FoldersGone = append(change.FoldersGone, folder)
			}
			now = now.With(change)
		} else {
			vault[path] = drawWindowText(t, path)
			now = now.With(index.Change{Updated: []*index.Entry{parser.Parse(path, []byte(vault[path])).Detach()}})
		}
		if rapid.IntRange(0, 4).Draw(t, "look") == 0 {
			now.Through(window).Names()
		}
		if step == consolidated {
			now, _ = now.Rebuild(context.Background(), drawSink(t))
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

// openOnly builds a snapshot of a vault that never had the closed files.
func openOnly(vault map[vpath.Path]string) *index.Snapshot {
	var parser index.Parser
	var entries []*index.Entry
	var folders []vpath.Path
	for _, path := range slices.Sorted(maps.Keys(vault)) {
		if !window.Open(path) {
			continue
		}
		entries = append(entries, parser.Parse(path, []byte(vault[path])).Detach())
		for folder := path.Dir(); folder != ""; folder = folder.Dir() {
			folders = append(folders, folder)
		}
	}
	return index.New(entries, folders)
}

// seen asks a snapshot everything, texts included.
func seen(t *rapid.T, s *index.Snapshot, queries []string) map[string]any {
	all := answers(s)
	all["folders"] = slices.Sorted(s.Folders)
	all["files"] = slices.Sorted(s.Files)
	s.Entries(func(entry *index.Entry) bool {
		all["entry "+string(entry.Path)] = []any{
			entry.Front, entry.Tags, entry.Aliases, entry.Headings, entry.Links, s.Hash(entry.Path),
			s.Text(entry.Path), s.Name(entry.Path),
		}
		return true
	})
	for _, path := range windowPaths {
		adopted, existing := s.AdoptSpelling(path)
		_, isFolder := s.Folder(path.Dir())
		all["about "+string(path)] = fmt.Sprint(
			s.Has(path), s.Entry(path) != nil, s.Paths.IsUnique(path), s.Sources(path), s.Outgoing(path),
			adopted, existing, isFolder, s.Text(path),
		)
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
		all["name contains "+word], all["name is "+word] = s.NameContains(word), s.NameIs(word)
	}
	for _, text := range queries {
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
	for _, file := range results.Found {
		found[file.Path] = fmt.Sprint(math.Round(file.Score*1e4)/1e4, file.Partial, s.Passage(q, file).Snippet)
	}
	return []any{results.Total, found}
}

// Through a window, a vault answers as if it never had any other files.
func TestWindowShowsNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, vault := drawWholeVault(t)
		queries := []string{"", "star", "strar wars", "tag:one", "[status:draft]", "file:A", "path:x"}
		for range 4 {
			queries = append(queries, drawQuery(t, 0))
		}
		diff := cmp.Diff(seen(t, openOnly(vault), queries), seen(t, s.Through(window), queries))
		if diff != "" {
			t.Errorf("without the closed files (-), through the window (+):\n%s", diff)
		}
		rebuilt, err := s.Through(window).Rebuild(t.Context(), new(index.Memory))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(answers(rebuilt), answers(s.Through(window))); diff != "" {
			t.Errorf("rebuilt (-), through the window (+):\n%s", diff)
		}
	})
}

// Concurrent callers get the same snapshot, and names are computed again only when files are added or removed.
func TestWindowIsComputedOnce(t *testing.T) {
	t.Parallel()
	var parser index.Parser
	s := index.New([]*index.Entry{parser.Parse("A.md", []byte("a")), parser.Parse("x/B.md", []byte("b"))}, []vpath.Path{"x"})
	all := make([]*index.Snapshot, 8)
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { all[i] = s.Through(window) })
	}
	wait.Wait()
	for _, snapshot := range all {
		if snapshot != all[0] {
			t.Fatal("the window was computed twice")
		}
	}
	edited := s.With(index.Change{Updated: []*index.Entry{parser.Parse("A.md", []byte("a2")).Detach()}}).Through(window)
	if before, after := all[0].Names(), edited.Names(); &before[0] != &after[0] || edited.Text("A.md") != "a2" {
		t.Error("an edit caused the names to be computed again")
	}
}

// An empty folder looks like one that holds only closed files, and closed files do not decide how a folder is
// spelt.
func TestWindowShowsFoldersOfOpenFiles(t *testing.T) {
	t.Parallel()
	var parser index.Parser
	s := index.New([]*index.Entry{
		parser.Parse("Mixed/a.secret.md", nil), parser.Parse("Two/a.md", nil), parser.Parse("two/b.md", nil),
	}, []vpath.Path{"empty", "Mixed", "x", "x/sub", "two", "Two"})
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

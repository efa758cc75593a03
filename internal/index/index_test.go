package index_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/tasks"
	_ "obsidian-mcp/internal/testkit/mode" // fixes rapid's seed
)

var paths = []vpath.Path{
	"A.md", "a.md", "x/A.md", "B.md", "x/B.md", "x/y/C.md", "A.md.md", "board.canvas", "pic.png", "é.md", "e\u0301.md",
}

var texts = []string{
	"", "[[A]] #one", "[[x/A]] [[B|b]] [[none]] #One/two",
	"---\ntags: [one, two]\naliases: Z\nup: \"[[C]]\"\n---\n![[pic.png]] [t](../B.md)\n# [[a]]",
	"[[A.md]] [[A/]] [[#h]]\n# H\n- [ ] one 🆔 a\n\t- [x] two\n", "[r]: A.md\n[[é]]\n- [ ] three ⛔ a 📅 2026-11-17",
	`{"nodes":[{"type":"file","file":"x/A.md"},{"type":"text","text":"[[B]] #no"}]}`,
}

// answers asks a snapshot everything that depends on paths, links and tags.
func answers(s *index.Snapshot) map[string]any {
	all := map[string]any{
		"names": s.Names(), "tags": s.Tags(), "broken": s.Broken(),
		"len": s.Len(), "tasks": taskLines(s), "paths": slices.Sorted(s.Paths.All()), "overview": overview(s),
	}
	graph := s.LinkGraph()
	all["nodes"] = graph.Paths
	for node, path := range graph.Paths {
		all["linked by "+string(path)] = slices.Clone(graph.Out[node])
	}
	for _, path := range paths {
		all["aliases "+string(path)], all["text "+string(path)] = s.Aliases(path), s.Hash(path)
		all["out "+string(path)], all["in "+string(path)] = s.Outgoing(path), s.Backlinks(path)
		var linking []vpath.Path
		for _, entry := range s.MayLinkTo(path) {
			linking = append(linking, entry.Path)
		}
		all["may link to "+string(path)] = linking
		found, err := s.Find(string(path))
		all["find "+string(path)] = fmt.Sprint(found, err)
	}
	for _, tag := range []string{"one", "two", "One/two"} {
		for _, children := range []bool{false, true} {
			var notes []vpath.Path
			notes = append(notes, s.Tagged(tag, children)...)
			slices.Sort(notes)
			all[fmt.Sprint("tagged ", tag, children)] = notes
		}
	}
	return all
}

// taskLines lists the tasks of a snapshot, and whether they wait for others.
func taskLines(s *index.Snapshot) []string {
	set := s.Tasks(task.Defaults())
	query, err := tasks.Parse("sort by path", tasks.Context{Settings: task.Defaults()})
	if err != nil {
		return []string{err.Error()}
	}
	var lines []string
	for _, item := range query.Run(set, -1).Items {
		lines = append(lines, fmt.Sprintf("%s:%d %s %q %d", item.Path, item.Line, item.Source, item.Heading, len(set.BlockedBy(item))))
	}
	return lines
}

// overview is a snapshot's overview without folders: a vault may keep those of files that are gone.
func overview(s *index.Snapshot) index.Overview {
	all := *s.Overview()
	all.Folders = nil
	return all
}

// A snapshot made by changes answers like one built from scratch.
func TestChangedSnapshotAnswersLikeNewOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var parser index.Parser
		vault := map[vpath.Path]string{}
		now := index.New(nil, nil)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			var change index.Change
			for range rapid.IntRange(1, 3).Draw(t, "files") {
				path := rapid.SampledFrom(paths).Draw(t, "path")
				updated := slices.ContainsFunc(change.Updated, func(e *index.Entry) bool { return e.Path == path })
				if updated || slices.Contains(change.Removed, path) {
					continue
				}
				if _, exists := vault[path]; exists && rapid.Bool().Draw(t, "remove") {
					delete(vault, path)
					change.Removed = append(change.Removed, path)
					continue
				}
				vault[path] = rapid.SampledFrom(texts).Draw(t, "text")
				change.Updated = append(change.Updated, parser.Parse(path, []byte(vault[path])))
			}
			now = now.With(change)
			if rapid.Bool().Draw(t, "ask for tasks") {
				taskLines(now) // the next snapshot starts from what is known
			}
		}
		var entries []*index.Entry
		for _, path := range slices.Sorted(maps.Keys(vault)) {
			entries = append(entries, parser.Parse(path, []byte(vault[path])))
		}
		if diff := cmp.Diff(answers(index.New(entries, nil)), answers(now), cmp.AllowUnexported()); diff != "" {
			t.Errorf("built from scratch (-), made by changes (+):\n%s", diff)
		}
		checkBacklinks(t, now)
	})
}

// checkBacklinks checks that outgoing links and backlinks are the same links.
func checkBacklinks(t *rapid.T, s *index.Snapshot) {
	in, out := map[string]int{}, map[string]int{}
	s.Entries(func(entry *index.Entry) bool {
		for _, link := range s.Outgoing(entry.Path) {
			if link.To != "" {
				out[string(entry.Path)+" > "+string(link.To)]++
			}
		}
		for _, link := range s.Backlinks(entry.Path) {
			in[string(link.From)+" > "+string(entry.Path)]++
		}
		return true
	})
	if diff := cmp.Diff(out, in); diff != "" {
		t.Errorf("outgoing links (-) and backlinks (+) differ:\n%s", diff)
	}
}

// Find returns the note that Name was asked about.
func TestNameAndFindAreInverse(t *testing.T) {
	t.Parallel()
	var parser index.Parser
	var entries []*index.Entry
	for _, path := range append(slices.Clone(paths), "v1.2 plan.md", "board.canvas.md", "x/board.canvas.md") {
		if path != "a.md" && path != "e\u0301.md" {
			entries = append(entries, parser.Parse(path, nil))
		}
	}
	s := index.New(entries, nil)
	for _, entry := range entries {
		if found, err := s.Find(s.Name(entry.Path)); err != nil || found != entry.Path {
			t.Errorf("the name of %s is %q, which finds %s (%v)", entry.Path, s.Name(entry.Path), found, err)
		}
	}
}

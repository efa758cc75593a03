package index_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// What is known about the links to a hub is kept when other notes change, and never longer than it is true.
func TestLinksToAHubAfterChanges(t *testing.T) {
	t.Parallel()
	var parser index.Parser
	texts := map[vpath.Path]string{"Hub.md": "the hub", "other/Hub.md": "another", "Rest.md": "nothing"}
	for i := range 300 {
		texts[vpath.Path(fmt.Sprintf("n%d.md", i))] = "[[Hub]]"
	}
	entry := func(path vpath.Path) *index.Entry { return parser.Parse(path, []byte(texts[path])).Detach() }
	fresh := func() *index.Snapshot {
		var entries []*index.Entry
		for path := range texts {
			entries = append(entries, entry(path))
		}
		return index.New(entries, nil)
	}
	s := fresh()
	for _, change := range []struct {
		path vpath.Path
		text string
	}{
		{"Rest.md", "still nothing"},
		{"Rest.md", "[[Elsewhere]]"},
		{"n7.md", "no link any more"},
		{"n7.md", "[[Hub]] again, [[hub|twice]]"},
		{"n8.md", "[[other/Hub]]"},
		{"Rest.md", "now [[Hub.md]]"},
		{"Rest.md", "nothing"},
		{"Hub.md", "the hub, [[#itself]]"},
		{"other/Hub.md", "a link to [[Hub]]"},
	} {
		s.Backlinks("Hub.md")
		s.Backlinks("other/Hub.md")
		texts[change.path] = change.text
		s = s.With(index.Change{Updated: []*index.Entry{entry(change.path)}})
		want := fresh()
		for _, hub := range []vpath.Path{"Hub.md", "other/Hub.md"} {
			if diff := cmp.Diff(want.Backlinks(hub), s.Backlinks(hub)); diff != "" {
				t.Fatalf("links to %s after %s became %q (-built, +changed):\n%s", hub, change.path, change.text, diff)
			}
			if diff := cmp.Diff(want.Sources(hub), s.Sources(hub)); diff != "" {
				t.Fatalf("sources of %s: %s", hub, diff)
			}
		}
	}
}

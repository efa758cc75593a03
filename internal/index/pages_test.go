package index_test

import (
	"testing"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// A snapshot with the same content takes over what was computed for another, and reads no note again.
func TestAdopt(t *testing.T) {
	var parser index.Parser
	entry := func(path vpath.Path, text string) *index.Entry { return parser.Parse(path, []byte(text)).Detach() }
	s := index.New([]*index.Entry{entry("A.md", "key:: [[B]]\n"), entry("B.md", "- [ ] x\n")}, nil)
	changed := s.With(index.Change{Updated: []*index.Entry{entry("B.md", "key:: 2\n")}})
	before := changed.Pages(time.UTC)
	rebuilt, err := changed.Rebuild(t.Context(), new(index.Memory))
	if err != nil {
		t.Fatal(err)
	}
	rebuilt.Adopt(changed)
	after := rebuilt.Pages(time.UTC)
	for i, page := range after.Pages() {
		if page != before.Pages()[i] {
			t.Errorf("%s was read again", page.Path)
		}
	}
	if v, _ := after.Page("B.md").Get("key"); v != 2.0 || len(after.LinkingTo("B.md")) != 1 {
		t.Errorf("key %v, links from %v", v, after.LinkingTo("B.md"))
	}
}

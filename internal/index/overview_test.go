package index_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
)

func TestOverview(t *testing.T) {
	t.Parallel()
	var parser index.Parser
	var entries []*index.Entry
	for path, text := range map[vpath.Path]string{
		"a/1.md":     "---\nStatus: draft\nlist: [x, y, x]\nempty:\n---\n#tag",
		"a/b/2.md":   "---\nstatus: draft\nlist: [y]\nrating: 4\nlong: " + strings.Repeat("long ", 20) + "\n---\n#tag #Other",
		"a/b/3.md":   "---\nstatus: 7\nnested: {a: 1}\n---\n",
		"c/4.md":     "---\nbroken: [\n---\n",
		"pic.png":    "",
		"d/x.canvas": "{}",
	} {
		entries = append(entries, parser.Parse(path, []byte(text)))
	}
	want := &index.Overview{
		Notes:   4,
		Folders: []index.FolderCount{{Folder: "a", Notes: 3}, {Folder: "a/b", Notes: 2}, {Folder: "c", Notes: 1}, {Folder: "d"}, {Folder: "e"}},
		Properties: []index.PropertyCount{
			{Name: "Status", Notes: 3, Type: front.TypeText, Values: []string{"draft", "7"}},
			{Name: "list", Notes: 2, Type: front.TypeList, Values: []string{"x", "y"}},
			{Name: "empty", Notes: 1, Values: []string{}},
			{Name: "long", Notes: 1, Type: front.TypeText, Values: []string{}},
			{Name: "nested", Notes: 1, Type: front.TypeObject, Values: []string{}},
			{Name: "rating", Notes: 1, Type: front.TypeNumber, Values: []string{"4"}},
		},
		Tags: []index.TagCount{{Tag: "tag", Notes: 2}, {Tag: "Other", Notes: 1}},
	}
	s := index.New(entries, []vpath.Path{"a", "a/b", "c", "d", "e"})
	if diff := cmp.Diff(want, s.Overview()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if first := s.Overview(); s.Overview() != first {
		t.Error("it is computed again")
	}
	if found, ok := s.Overview().Property("STATUS"); !ok || found.Notes != 3 {
		t.Errorf("STATUS: %v, %v", found, ok)
	}
	if found, ok := s.Overview().Property("none"); ok {
		t.Errorf("none: %v", found)
	}
}

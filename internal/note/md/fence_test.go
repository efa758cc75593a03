package md_test

import (
	"slices"
	"testing"

	"obsidian-mcp/internal/note/md"
)

func TestFences(t *testing.T) {
	t.Parallel()
	note := md.Scan([]byte("```base\nviews:\n  - type: table\n```\n\n> ~~~ Dataview \n> LIST\n>   FROM #x\n> ~~~\n\n- item\n  ```tasks\n  not done\n    indented\n  ```\n\n    indented code\n\n````js\n```\n````\n"))
	want := []md.Fence{
		{"base", "views:\n  - type: table"}, {"dataview", "LIST\n  FROM #x"}, {"tasks", "not done\n  indented"}, {"js", "```"},
	}
	if got := note.Fences(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

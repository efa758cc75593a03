package md_test

import (
	"slices"
	"testing"

	"obsidian-mcp/internal/note/md"
)

func TestFences(t *testing.T) {
	t.Parallel()
	note := md.Scan([]byte("```base\nviews:\n  - type: table\n```\n\n> ~~~ Dataview \n> LIST\n>   FROM #x\n> ~~~\n\n- item\n  ```tasks\n  not done\n    indented\n  ```\n\n    indented code\n\n````js\n```\n````\n"))
	type fence struct {
		language, text string
		isNested       bool
	}
	want := []fence{
		{"base", "views:\n  - type: table", false}, {"dataview", "LIST\n  FROM #x", true}, {"tasks", "not done\n  indented", false}, {"js", "```", false},
	}
	var got []fence
	for _, found := range note.Fences() {
		got = append(got, fence{found.Language, found.Text, found.Nested})
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

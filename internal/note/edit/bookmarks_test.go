package edit_test

import (
	"testing"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
)

func TestMoveBookmarksChangesOnlyPathsOfTheFile(t *testing.T) {
	for name, test := range map[string]struct{ src, want string }{
		"a file":       {`{"items":[{"type":"file","path":"A.md","title":"A.md"}]}`, `{"items":[{"type":"file","path":"x/\"B\".md","title":"A.md"}]}`},
		"in a group":   {"{\n  \"items\": [ {\"items\":[{\"path\": \"A.md\"}], \"path\":\"C\"}, {\"path\":\"A.md\"} ] }", "{\n  \"items\": [ {\"items\":[{\"path\": \"x/\\\"B\\\".md\"}], \"path\":\"C\"}, {\"path\":\"x/\\\"B\\\".md\"} ] }"},
		"escaped":      {`{"path":"\u0041.md"}`, `{"path":"x/\"B\".md"}`},
		"other keys":   {`{"query":"A.md","n":[1,null,"A.md",{}],"path":"AA.md"}`, `{"query":"A.md","n":[1,null,"A.md",{}],"path":"AA.md"}`},
		"no JSON":      {`{"path":"A.md"`, `{"path":"A.md"`},
		"a bare text":  {`"A.md"`, `"A.md"`},
		"empty object": {`{"":{},"path":"A.md"}`, `{"":{},"path":"x/\"B\".md"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := string(md.Apply([]byte(test.src), edit.MoveBookmarks([]byte(test.src), "A.md", `x/"B".md`)))
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

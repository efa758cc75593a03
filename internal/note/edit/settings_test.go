package edit_test

import (
	"testing"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
)

func TestMovePathsChangesNothingElse(t *testing.T) {
	for name, test := range map[string]struct{ src, want string }{
		"a file":       {`{"items":[{"type":"file","path":"A.md","title":"A.md"}]}`, `{"items":[{"type":"file","path":"x/\"B\" & C.md","title":"A.md"}]}`},
		"in a group":   {"{\n  \"items\": [ {\"items\":[{\"path\": \"A.md\"}], \"path\":\"C\"}, {\"path\":\"A.md\"} ] }", "{\n  \"items\": [ {\"items\":[{\"path\": \"x/\\\"B\\\" & C.md\"}], \"path\":\"C\"}, {\"path\":\"x/\\\"B\\\" & C.md\"} ] }"},
		"escaped":      {`{"path":"\u0041.md"}`, `{"path":"x/\"B\" & C.md"}`},
		"other keys":   {`{"query":"A.md","n":[1,null,"A.md",{}],"path":"AA.md"}`, `{"query":"A.md","n":[1,null,"A.md",{}],"path":"AA.md"}`},
		"no JSON":      {`{"path":"A.md"`, `{"path":"A.md"`},
		"a bare text":  {`"A.md"`, `"A.md"`},
		"empty object": {`{"":{},"path":"A.md"}`, `{"":{},"path":"x/\"B\" & C.md"}`},
	} {
		t.Run(name, func(t *testing.T) {
			moved := func(key, path string) (string, bool) { return `x/"B" & C.md`, key == "path" && path == "A.md" }
			got := string(md.Apply([]byte(test.src), edit.MovePaths([]byte(test.src), moved)))
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestRenameTypeChangesTheKey(t *testing.T) {
	for src, want := range map[string]string{
		`{"types":{"due":"date","x":"text"}}`:           `{"types":{"deadline":"date","x":"text"}}`,
		`{"types":{"Due":"date","deadline":"text"}}`:    `{"types":{"Due":"date","deadline":"text"}}`,
		`{"due":1,"types":{"a":{"due":2},"b":["due"]}}`: `{"due":1,"types":{"a":{"due":2},"b":["due"]}}`,
		`{"types":{"due":"date"`:                        `{"types":{"due":"date"`,
	} {
		if got := string(md.Apply([]byte(src), edit.RenameType([]byte(src), "due", "deadline"))); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}

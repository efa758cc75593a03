package install

import (
	"strings"
	"testing"
)

func TestTemporaryPrograms(t *testing.T) {
	for program, advice := range map[string]string{
		"/home/alice/.npm/_npx/0a1b2c/node_modules/@obsidian-mcp/server-linux-x64/obsidian-mcp": "npm install --global",
		"/home/alice/.cache/go-build/aa/obsidian-mcp":                                           "move it to where it can stay",
	} {
		if !isTemporary(program) || !strings.Contains(temporaryNote(program), advice) {
			t.Errorf("%s: temporary is %v, the note is %q", program, isTemporary(program), temporaryNote(program))
		}
	}
	for _, program := range []string{"/usr/bin/obsidian-mcp", "/usr/lib/node_modules/@obsidian-mcp/server/node_modules/@obsidian-mcp/server-linux-x64/obsidian-mcp"} {
		if isTemporary(program) {
			t.Errorf("%s is taken for temporary", program)
		}
	}
}

package install

import "testing"

func TestTemporaryPrograms(t *testing.T) {
	for program, want := range map[string]struct{ temporary, fromNPX bool }{
		"/home/alice/.npm/_npx/0a1b2c/node_modules/@obsidian-mcp/server-linux-x64/obsidian-mcp": {false, true},
		"/home/alice/.cache/go-build/aa/obsidian-mcp":                                           {true, false},
		"/usr/lib/node_modules/@obsidian-mcp/server-linux-x64/obsidian-mcp":                     {false, false},
		"/usr/bin/obsidian-mcp": {false, false},
	} {
		if isTemporary(program) != want.temporary || isFromNPX(program) != want.fromNPX {
			t.Errorf("%s: temporary %v, from npx %v, want %+v", program, isTemporary(program), isFromNPX(program), want)
		}
	}
}

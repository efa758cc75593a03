package app

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the program as a person in a shell would.
func TestScripts(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "obsidian-mcp")); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: scripts(t), ContinueOnError: true, RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("OBSIDIAN_MCP_STATE_DIR", filepath.Join(env.WorkDir, "state"))
			env.Setenv("OBSIDIAN_VAULT_PATH", "vault")
			env.Setenv("LOG_LEVEL", "warn")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // with the race detector each program would wait a second before it exits
			env.Setenv(asProgram, filepath.Join(env.WorkDir, "status"))
			env.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			return os.MkdirAll(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": checkStatus, "confirm-id": confirmID, "change-id": changeID, "expand": expand, "for-shells": completions,
		},
	})
}

// scripts are the scripts to run: a few with -short.
func scripts(t *testing.T) []string {
	t.Helper()
	pattern := "*"
	if testing.Short() {
		pattern = "doctor"
	}
	files, err := filepath.Glob("testdata/script/" + pattern + ".txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	return files
}

// checkStatus checks the exit status of the last command, which the program writes into a file.
func checkStatus(ts *testscript.TestScript, _ bool, args []string) {
	if got := ts.ReadFile("status"); got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

var confirmPattern = regexp.MustCompile(`confirm='([^']+)'`)

// confirmID puts the id that the last command asked for into a variable.
func confirmID(ts *testscript.TestScript, _ bool, args []string) {
	found := confirmPattern.FindStringSubmatch(ts.ReadFile("stderr"))
	if found == nil {
		ts.Fatalf("no confirmation id")
	}
	ts.Setenv(args[0], found[1])
}

// changeID puts the id of the newest change that was listed into a variable.
func changeID(ts *testscript.TestScript, _ bool, args []string) {
	id, _, _ := strings.Cut(ts.ReadFile("stdout"), " ")
	ts.Setenv(args[0], id)
}

// expand replaces $WORK in a file.
func expand(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "$WORK", ts.MkAbs("."))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// completions makes the completion script of each shell.
func completions(ts *testscript.TestScript, _ bool, shells []string) {
	for _, shell := range shells {
		ts.Check(ts.Exec("obsidian-mcp", "completion", shell))
		if !strings.Contains(ts.ReadFile("stdout"), "obsidian-mcp") {
			ts.Fatalf("no completion for %s", shell)
		}
	}
}

// Package program hands tests the programs that they run: obsidian-mcp and ripgrep. Only tests import it.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// variable names a binary to use instead of building one: the one that make has built, or that of a release.
const variable = "OBSIDIAN_MCP_TEST_PROGRAM"

// built is where Path puts the program if it builds it.
var built = filepath.Join(os.TempDir(), fmt.Sprintf("obsidian-mcp-test-%d", os.Getpid()))

// Path returns the binary that OBSIDIAN_MCP_TEST_PROGRAM names. If that is not set, it builds the program once, as
// `make test` does.
var Path = sync.OnceValues(func() (string, error) {
	if name := os.Getenv(variable); name != "" {
		return name, nil
	}
	build := exec.Command("go", "build", "-trimpath", "-pgo=off", "-o", built, "obsidian-mcp/cmd/obsidian-mcp")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, output)
	}
	return built, nil
})

// Remove deletes the binary if Path has built one; a TestMain calls it last.
func Remove() { os.Remove(built) }

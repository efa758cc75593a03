package program

import (
	"os"
	"testing"

	"obsidian-mcp/internal/testkit/mode"
)

// Ripgrep returns the path of the ripgrep that OBSIDIAN_MCP_TEST_RG names. Without one it skips the test, or fails it
// among the heavier forms: `make verify` sets the variable for them.
func Ripgrep(t testing.TB) string {
	t.Helper()
	path := os.Getenv("OBSIDIAN_MCP_TEST_RG")
	if path == "" && mode.Full() {
		t.Fatal("OBSIDIAN_MCP_TEST_RG is not set; make verify sets it")
	}
	if path == "" {
		t.Skip("OBSIDIAN_MCP_TEST_RG is not set; make verify sets it")
	}
	return path
}

package regextest

import (
	"os"
	"testing"
)

// Ripgrep returns the path of the ripgrep that OBSIDIAN_MCP_TEST_RG names. Without one it skips the test, or fails it in
// CI.
func Ripgrep(t *testing.T) string {
	t.Helper()
	path := os.Getenv("OBSIDIAN_MCP_TEST_RG")
	if path == "" && os.Getenv("CI") != "" {
		t.Fatal("OBSIDIAN_MCP_TEST_RG is not set; make verify sets it")
	}
	if path == "" {
		t.Skip("OBSIDIAN_MCP_TEST_RG is not set; make verify sets it")
	}
	return path
}

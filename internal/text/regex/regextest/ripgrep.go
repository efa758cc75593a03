package regextest

import (
	"os"
	"testing"
)

// Ripgrep is the real one, which OBSIDIAN_MCP_TEST_RG names. A test that has
// none is skipped, but never where all is to be tested.
func Ripgrep(t *testing.T) string {
	t.Helper()
	path := os.Getenv("OBSIDIAN_MCP_TEST_RG")
	if path == "" && os.Getenv("CI") != "" {
		t.Fatal("OBSIDIAN_MCP_TEST_RG is not set: make ripgrep sets it")
	}
	if path == "" {
		t.Skip("OBSIDIAN_MCP_TEST_RG does not name a ripgrep: make ripgrep does")
	}
	return path
}

package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/testkit/vaultgen"
)

// A process that is killed while it builds or stores its index leaves nothing that makes the next one answer wrongly.
func TestKillWhileCachingIsHarmless(t *testing.T) {
	t.Parallel()
	name := programPath(t)
	dir, home := t.TempDir(), t.TempDir()
	if err := vaultgen.Write(dir, vaultgen.Options{Notes: mode.Pick(500, 1500, 1500), Seed: 3}); err != nil {
		t.Fatal(err)
	}
	count := func() string {
		output, err := testCommand(name, dir, home, "call", "find_notes", "--query", "Hub", "--exists-only").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(output))
	}
	cache := filepath.Join(home, ".cache", "obsidian-mcp")
	want := count()
	for moment := range mode.Pick(4, 10, 10) {
		if moment%3 == 0 {
			os.RemoveAll(cache)
		}
		cmd := testCommand(name, dir, home, "call", "find_notes", "--query", "Hub", "--exists-only")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+45*moment) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if got := count(); got != want {
			t.Fatalf("killed at moment %d: got %s, want %s", moment, got, want)
		}
	}
	indexes, err := filepath.Glob(filepath.Join(cache, "*.idx"))
	if err != nil || len(indexes) != 1 {
		t.Errorf("want one index, got %v, %v", indexes, err)
	}
}

//go:build unix

package config_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/testkit/mode"
)

// Reading a pipe would block.
func TestPipeAsRegistryIsIgnored(t *testing.T) {
	home := t.TempDir()
	pipe := filepath.Join(home, ".config", "obsidian", "obsidian.json")
	if err := os.MkdirAll(filepath.Dir(pipe), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	registry := config.Registry{Home: home, System: "linux", Lookup: func(string) (string, bool) { return "", false }}
	found := make(chan []config.Registered, 1)
	go func() { found <- registry.Vaults() }()
	select {
	case all := <-found:
		if len(all) > 0 {
			t.Error(all)
		}
	case <-time.After(mode.Patience):
		t.Fatal("reading the registry hangs")
	}
}

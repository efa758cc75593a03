//go:build unix

package clients_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/clients"
	"obsidian-mcp/internal/fault"
)

// TestPipe: a pipe in the place of a configuration is not waited for.
func TestPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "config.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	client := find(t, "claude-desktop")
	refused := make(chan error, 2)
	go func() {
		_, installing := client.Install(pipe, local, clients.Options{})
		_, removing := client.Uninstall(pipe, local, clients.Options{})
		refused <- installing
		refused <- removing
	}()
	for range 2 {
		select {
		case err := <-refused:
			if err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("it is waited for")
		}
	}
}

// TestOwner: what root makes in a user's folder is the user's.
func TestOwner(t *testing.T) {
	home := t.TempDir()
	if os.Geteuid() == 0 {
		check(t, os.Chown(home, 65534, 65534))
	}
	owner := func(name string) uint32 {
		info, err := os.Stat(name)
		check(t, err)
		return info.Sys().(*syscall.Stat_t).Uid
	}
	file := filepath.Join(home, "new", "folder", "config.json")
	for _, client := range []string{"cursor", "gemini"} { // the second finds the file there
		server := local
		server.Name = client
		plan, err := find(t, client).Install(file, server, clients.Options{})
		check(t, err)
		backup, err := plan.Write(moment)
		check(t, err)
		for _, name := range []string{filepath.Join(home, "new"), filepath.Join(home, "new", "folder"), file, backup} {
			if name != "" && owner(name) != owner(home) {
				t.Errorf("%s belongs to %d", name, owner(name))
			}
		}
	}
}

// TestTwoAtOnce: of two changes that were planned on the same text one is made,
// and the other is refused.
func TestTwoAtOnce(t *testing.T) {
	client := find(t, "cursor")
	for range 50 {
		file := write(t, "{}\n")
		var plans []clients.Plan
		for _, name := range []string{"one", "two"} {
			server := local
			server.Name = name
			plan, err := client.Install(file, server, clients.Options{})
			if err != nil {
				t.Fatal(err)
			}
			plans = append(plans, plan)
		}
		ended := make(chan error)
		for _, plan := range plans {
			go func() {
				_, err := plan.Write(moment)
				ended <- err
			}()
		}
		first, second := <-ended, <-ended
		if first != nil {
			first, second = second, first
		}
		if first != nil || !errors.Is(second, fault.Conflict) {
			t.Fatalf("%v, %v", first, second)
		}
	}
}

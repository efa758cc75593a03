package vault_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/vault"
)

// TestMain fails if a goroutine is still running after the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = mode.Patience

// inBubble runs a test with fake time. Stores in memory need no other.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// open opens a vault and waits for its index, unless the store fails.
func open(t *testing.T, s store.Store) *vault.Vault {
	t.Helper()
	return opened(t, vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{}))
}

// openFolder opens a vault on a real folder, which follows its changes without pauses.
func openFolder(t testing.TB, dir string, log *slog.Logger, options vault.Options) *vault.Vault {
	t.Helper()
	s, err := folder.Open(dir, folder.Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, vault.OpenImpatient(s, log, options))
}

func opened(t testing.TB, v *vault.Vault) *vault.Vault {
	t.Helper()
	t.Cleanup(func() { v.Close() })
	if _, err := v.Snapshot(t.Context()); err != nil && !errors.Is(err, fault.StoreUnavailable) {
		t.Fatal(err)
	}
	return v
}

// eventually waits until the index satisfies a condition.
func eventually(t testing.TB, v *vault.Vault, what string, holds func(*index.Snapshot) bool) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		s, err := v.Snapshot(t.Context())
		if err == nil && holds(s) {
			return
		}
		if time.Since(begun) > patience {
			t.Fatalf("%s: not in the index (%v)", what, err)
		}
	}
}

// awaitWatch waits until the vault notices changes in a folder.
func awaitWatch(t testing.TB, v *vault.Vault, dir string) {
	t.Helper()
	probe := filepath.Join(dir, "probe.md")
	text := "#probe"
	eventually(t, v, "probe", func(s *index.Snapshot) bool {
		text += " again"
		if err := os.WriteFile(probe, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return s.Has("probe.md")
	})
	if err := os.Remove(probe); err != nil {
		t.Fatal(err)
	}
	eventually(t, v, "removed probe", func(s *index.Snapshot) bool { return !s.Has("probe.md") })
}

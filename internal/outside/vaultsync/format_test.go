//go:build unix

package vaultsync

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/formats"
)

// syncerIn returns a Syncer that keeps its state in a folder.
func syncerIn(t *testing.T, dir string, log *slog.Logger) *Syncer {
	return open(t, Options{Dir: t.TempDir(), Timeout: time.Minute, Environment: environment(t.TempDir()), StateDir: dir, Vault: &fakeVault{}, Log: log})
}

// TestOutcomesOfAllVersions reads the last outcome that each version has stored.
func TestOutcomesOfAllVersions(t *testing.T) {
	formats.Check(t, formats.Format{Name: "sync-outcome", Oldest: 1, Newest: lastVersion}, func(t *testing.T, dir string) {
		outcome := Outcome{State: Failed, Took: 1500 * time.Millisecond, Conflicts: []string{"A.md"}}
		syncerIn(t, dir, slog.New(slog.DiscardHandler)).keep(outcome, errors.New("no network"))
	}, func(t *testing.T, dir string, version int) {
		last, ok := syncerIn(t, dir, slog.New(slog.DiscardHandler)).Last()
		if !ok || last.State != Failed || last.TookMS != 1500 || len(last.Conflicts) != 1 || last.Error != "no network" || last.Version != version {
			t.Errorf("%+v, %v", last, ok)
		}
	})
}

func TestNewerOutcomeIsLeftAlone(t *testing.T) {
	var log bytes.Buffer
	dir := t.TempDir()
	s := syncerIn(t, dir, slog.New(slog.NewTextHandler(&log, nil)))
	newer := `{"version":2,"state":{"of":"another shape"}}`
	name := filepath.Join(dir, lastFile)
	if err := os.WriteFile(name, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if last, ok := s.Last(); ok {
		t.Errorf("read %+v", last)
	}
	s.keep(Outcome{State: Failed}, nil)
	if now, err := os.ReadFile(name); err != nil || string(now) != newer || !strings.Contains(log.String(), "newer version") {
		t.Errorf("%s, %v, log: %s", now, err, &log)
	}
	if err := os.WriteFile(name, []byte(`{"state":"failed"}`), 0o600); err != nil { // before it had a version
		t.Fatal(err)
	}
	if last, ok := s.Last(); !ok || last.State != Failed {
		t.Errorf("%+v, %v", last, ok)
	}
}

package install

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

var (
	database = config.LiveSync{URL: "https://couch.example.com", Database: "notes", User: "me", Password: "hunter2", Passphrase: "hunter2"}
	noon     = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
)

// If another program changes the config file after it was read, the files of the secrets are as before, too.
func TestDatabasePlanTakesBack(t *testing.T) {
	folder := t.TempDir()
	file, old := filepath.Join(folder, "c.yaml"), filepath.Join(folder, "c.couchdb-password")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, "read_only: true\n")
	write(old, "old\n")
	plan, err := PlanDatabase(file, database)
	if err != nil {
		t.Fatal(err)
	}
	write(file, "read_only: false\n")
	if _, err := plan.Write(noon); !errors.Is(err, fault.Conflict) || fault.HintOf(err) != "nothing was changed; try again" {
		t.Error(err, fault.HintOf(err))
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 2 {
		t.Error(left, err)
	}
	for name, want := range map[string]string{file: "read_only: false\n", old: "old\n"} {
		if got, err := os.ReadFile(name); string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Two secrets may be the same. Files that are right already are left alone.
func TestDatabasePlan(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	file := filepath.Join(folder, "c.yaml")
	for _, want := range []int{3, 0} {
		plan, err := PlanDatabase(file, database)
		if err != nil || plan.Changes() != (want > 0) || len(plan.Replaces()) != 0 {
			t.Fatalf("%v, %v, %v", plan.Changes(), plan.Replaces(), err)
		}
		if written, err := plan.Write(noon); err != nil || len(written) != want {
			t.Errorf("%v, %v", written, err)
		}
	}
	got, err := config.Load(config.Source{File: file, Lookup: func(string) (string, bool) { return "", false }})
	if err != nil || got.LiveSync != database {
		t.Errorf("%+v, %v", got.LiveSync, err)
	}
	other := database
	other.Passphrase = ""
	plan, err := PlanDatabase(file, other)
	if err != nil || len(plan.Replaces()) != 1 || plan.Replaces()[0] != file {
		t.Errorf("%v, %v", plan.Replaces(), err)
	}
}

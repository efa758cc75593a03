package livesync_test

import (
	"maps"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// TestReplacedDatabase deletes the database of a running server, creates it again, and lets another server fill it. The
// first server reports errors meanwhile, and then serves the new files. It never reports an empty vault.
func TestReplacedDatabase(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "encrypted and obfuscated"} {
		for asked, meanwhile := range map[string]func(*testing.T, *livesync.Store){"asked": checkUnavailable, "not asked": nil} {
			t.Run(name+", "+asked+" meanwhile", func(t *testing.T) {
				t.Parallel()
				testMadeAgain(t, sorts()[name], meanwhile)
			})
		}
	}
}

func testMadeAgain(t *testing.T, options livesync.Options, meanwhile func(*testing.T, *livesync.Store)) {
	database := couchtest.New(t)
	startVault(t, database, options).fill(t, map[string]string{"Before.md": "before\n"})
	s := open(t, database, options)
	if _, err := scanned(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	database.Delete(t)
	if meanwhile != nil {
		meanwhile(t, s)
	}
	database.Create(t)
	device := startVault(t, database, options)
	device.fill(t, map[string]string{"After.md": "after\n"})
	want := map[string]string{"First.md": "first\n", "After.md": "after\n"}
	eventuallyNoError(t, "the store shows the new database", func() error {
		files, err := scanned(t.Context(), s)
		if err == nil && !maps.Equal(files, want) {
			t.Errorf("a scan shows a wrong vault: %s", difference(files, want))
		}
		return err
	})
	if file, err := s.Read(t.Context(), "After.md", 1000); err != nil || string(file.Data) != "after\n" {
		t.Errorf("%q, %v", file.Data, err)
	}
	if _, err := s.Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("new\n")}}); err != nil {
		t.Error(err)
	}
	if got := device.contents(t)["New.md"]; got != "new\n" {
		t.Errorf("a device reads %q", got)
	}
}

// checkUnavailable expects all calls of a store without a database to fail.
func checkUnavailable(t *testing.T, s *livesync.Store) {
	t.Helper()
	_, err := s.Read(t.Context(), "Before.md", 1000)
	wantUnavailable(t, "reading", err)
	_, err = s.Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("new\n")}})
	wantUnavailable(t, "writing", err)
	wantUnavailable(t, "scanning", s.Scan(t.Context(), func(store.Info) bool { return true }, func(store.Found) {}))
}

func wantUnavailable(t *testing.T, call string, err error) {
	t.Helper()
	if fault.KindOf(err) != fault.StoreUnavailable {
		t.Errorf("%s without a database: %v", call, err)
	}
}

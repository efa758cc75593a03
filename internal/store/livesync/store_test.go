package livesync_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/livesynctest"
	"obsidian-mcp/internal/store/storetest"
)

// TestStore runs the contract of all stores, on a database of each sort.
func TestStore(t *testing.T) {
	t.Parallel()
	for name, options := range storeSorts() {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) storetest.Subject {
				database := couchtest.New(t)
				if options.Passphrase == quickly {
					founded(t, database, options, bytes.Repeat([]byte{1}, 32))
				}
				s := open(t, database, options)
				return storetest.Subject{
					Store: s, Outside: outside(t, open(t, database, options)),
					Diverge: func(path vpath.Path, data []byte) store.Rev {
						rev := diverge(t, database, options.Passphrase)(path, data)
						eventually(t, "the conflict is known", func() bool {
							info, err := s.Stat(t.Context(), path)
							return err == nil && len(info.Conflicts) > 0
						})
						return rev
					},
				}
			})
		})
	}
}

// storeSorts are the databases that the contract is tried on. Under the race
// detector the encrypted one is of the form whose keys are quickly derived.
func storeSorts() map[string]livesync.Options {
	if slow {
		return plainAndSealed()
	}
	return sorts()
}

// sorts are the kinds of database that are made for those who have none.
func sorts() map[string]livesync.Options {
	yes := true
	return map[string]livesync.Options{
		"plain":                    {},
		"encrypted":                {Passphrase: "a passphrase"},
		"encrypted and obfuscated": {Passphrase: "a passphrase", Obfuscated: &yes},
	}
}

// open opens a store on a database.
func open(t testing.TB, database *couchtest.Database, options livesync.Options) *livesync.Store {
	t.Helper()
	options.Couch = couch.Options{URL: database.URL, Database: database.Name, User: database.User, Password: couch.Secret(database.Password)}
	s, err := livesync.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// outside changes files as another server does.
func outside(t testing.TB, s *livesync.Store) func(vpath.Path, []byte) {
	return func(path vpath.Path, data []byte) {
		t.Helper()
		for attempt := 0; ; attempt++ {
			change := store.Change{Path: path, Data: data}
			if file, err := s.Read(t.Context(), path, 1<<30); err == nil {
				change.Base = file.Rev
			}
			if data == nil {
				change.Op = store.Trash
			}
			_, err := s.Commit(t.Context(), []store.Change{change})
			if err == nil {
				return
			}
			if !errors.Is(err, fault.Conflict) || attempt == 5 {
				t.Errorf("%s could not be changed from outside: %v", path, err)
				return
			}
		}
	}
}

// eventually waits for what the feed brings.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it does not come about that %s", what)
		}
	}
}

// diverge gives a file another branch, as a device does that was offline.
func diverge(t testing.TB, database *couchtest.Database, pass format.Passphrase) func(vpath.Path, []byte) store.Rev {
	return func(path vpath.Path, data []byte) store.Rev {
		t.Helper()
		const rev = "1-00000000000000000000000000000000" // which wins over no other
		upload, err := livesynctest.Codec(t, database, pass).Write(nil, format.Change{Path: string(path), Content: data, Now: time.Now().UnixMilli()})
		if err != nil {
			t.Fatal(err)
		}
		for _, leaf := range upload.Leaves {
			database.Put(t, leaf.ID, json.RawMessage(leaf.Body))
		}
		var body map[string]any
		if err := json.Unmarshal(upload.Body, &body); err != nil {
			t.Fatal(err)
		}
		body["_rev"] = rev
		database.Branches(t, body)
		return rev
	}
}

package livesync_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"
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
	"obsidian-mcp/internal/testkit/mode"
)

// TestStore runs the contract of all stores on an encrypted database with obfuscated paths. The full form does so on
// every sort of database.
func TestStore(t *testing.T) {
	t.Parallel()
	for name, options := range sorts() {
		if name != "encrypted and obfuscated" && !mode.Full() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T) storetest.Subject {
				database := couchtest.New(t)
				initialize(t, database, options, salt)
				s := open(t, database, options)
				other := sync.OnceValue(func() *livesync.Store { return open(t, database, options) })
				return storetest.Subject{
					Store: s, Outside: func(path vpath.Path, data []byte) { outside(t, other())(path, data) },
					Diverge: func(path vpath.Path, data []byte) store.Rev {
						rev := diverge(t, database, options.Passphrase)(path, data)
						eventually(t, "the store knows the conflict", func() bool {
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

// salt is the salt of test databases. They share it, so that the keys of a passphrase are derived once.
var salt = bytes.Repeat([]byte{1}, 32)

// sorts are the sorts of database that a user can choose for a new vault.
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
	options.Couch = couch.Options{}
	return openAs(t, database, options)
}

// outside changes files through another server.
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
				t.Errorf("changing %s from outside: %v", path, err)
				return
			}
		}
	}
}

// patience is how long tests wait for something that happens in another goroutine, such as the arrival of a change.
const patience = mode.Patience

// eventually waits until something holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	eventuallyNoError(t, what, func() error {
		if !holds() {
			return errors.New("it does not hold")
		}
		return nil
	})
}

// eventuallyNoError waits until holds returns no error. It asks less and less often, because holds may send requests.
func eventuallyNoError(t testing.TB, what string, holds func() error) {
	t.Helper()
	pause := 5 * time.Millisecond
	for begun := time.Now(); ; time.Sleep(pause) {
		pause = min(pause*3/2, 200*time.Millisecond)
		err := holds()
		if err == nil {
			return
		}
		if time.Since(begun) > patience {
			t.Fatalf("waited in vain until %s: %v", what, err)
		}
	}
}

// diverge writes a conflicting branch of a file, as a device does that was offline.
func diverge(t testing.TB, database *couchtest.Database, pass format.Passphrase) func(vpath.Path, []byte) store.Rev {
	return func(path vpath.Path, data []byte) store.Rev {
		t.Helper()
		const rev = "1-00000000000000000000000000000000" // never wins
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

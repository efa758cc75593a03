package livesync_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/vault"
)

// TestEditElsewhereIsSearchable edits notes as another server and as a device, and searches for the new words.
func TestEditElsewhereIsSearchable(t *testing.T) {
	t.Parallel()
	for sort, options := range plainAndSealed() {
		t.Run(sort, func(t *testing.T) {
			t.Parallel()
			database := couchtest.New(t)
			fill(t, database, options, manyNotes(50))
			v := openVault(t, open(t, database, options))
			others := map[string]func(vpath.Path, []byte){
				"another server": outside(t, open(t, database, options)),
				"a device":       device{database, readRaw(t, database, options.Passphrase).codec}.edit(t),
			}
			for author, edit := range others {
				for i := range 3 {
					word := fmt.Sprintf("word%dof%d", i, len(author))
					edit(vpath.Path(fmt.Sprintf("Folder %d/Note %d.md", i, i)), []byte("now it says "+word))
					eventually(t, word+", written by "+author+", is found", func() bool { return len(v.Ready().Containing(word)) == 1 })
				}
			}
		})
	}
}

// edit replaces files as a device does.
func (d device) edit(t testing.TB) func(vpath.Path, []byte) {
	return func(path vpath.Path, data []byte) {
		t.Helper()
		over, _ := d.file(t, string(path))
		if !d.write(t, over, string(path), string(data)) {
			t.Errorf("someone else changed %s", path)
		}
	}
}

// TestChangesElsewhereAreFollowed makes each kind of change through another server.
func TestChangesElsewhereAreFollowed(t *testing.T) {
	t.Parallel()
	for sort, options := range plainAndSealed() {
		t.Run(sort, func(t *testing.T) {
			database := couchtest.New(t)
			fill(t, database, options, map[string]string{"Stays.md": "stays", "d/Goes.md": "goes", "d/Moves.md": "moves", "Spelt.md": "spelt"})
			v := openVault(t, open(t, database, options))
			other := open(t, database, options)
			outside(t, other)("d/Goes.md", nil)
			eventually(t, "the deleted file is gone", func() bool { return !v.Ready().Has("d/Goes.md") && len(v.Ready().Containing("goes")) == 0 })

			commit(t, other, store.Change{Op: store.Move, Path: "d/Moves.md", To: "e/Moved.md", Base: read(t, other, "d/Moves.md").Rev})
			eventually(t, "the moved file has its new path", func() bool {
				now := v.Ready()
				return now.Has("e/Moved.md") && !now.Has("d/Moves.md") && slices.Equal(now.Containing("moves"), []vpath.Path{"e/Moved.md"})
			})
			eventually(t, "the empty folder is gone", func() bool {
				_, exists := v.Ready().Folder("d")
				return !exists
			})

			commit(t, other, store.Change{Op: store.Move, Path: "Spelt.md", To: "SPELT.md", Base: read(t, other, "Spelt.md").Rev})
			eventually(t, "the file with another spelling has its new name", func() bool {
				now := v.Ready()
				return now.Has("SPELT.md") && !now.Has("Spelt.md") && slices.Equal(now.Containing("spelt"), []vpath.Path{"SPELT.md"})
			})
			if got := v.Ready().Containing("stays"); len(got) != 1 || v.Ready().Len() != 3 {
				t.Errorf("found %v, of %d files", got, v.Ready().Len())
			}
		})
	}
}

// TestFeedResumes cuts the network while others change files.
func TestFeedResumes(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	fill(t, database, livesync.Options{}, map[string]string{"Before.md": "before", "Changes.md": "old", "Goes.md": "goes"})
	network := newCuttableNetwork()
	var options livesync.Options
	options.Couch.Transport, options.Couch.Sleep = network, shortly
	s := openAs(t, database, options)
	v := openVault(t, s)
	network.cut()
	elsewhere := outside(t, open(t, database, livesync.Options{}))
	elsewhere("Changes.md", []byte("changed during the outage"))
	elsewhere("New.md", []byte("new during the outage"))
	elsewhere("Goes.md", nil)
	eventually(t, "calls fail", func() bool {
		_, err := s.Read(t.Context(), "Changes.md", 1<<20)
		return err != nil && !livesync.Permanent(err)
	})
	if now := v.Ready(); !now.Has("Goes.md") || len(now.Containing("outage")) > 0 {
		t.Error("a change arrived although the network is cut")
	}
	network.restore()
	eventually(t, "all changes have arrived", func() bool {
		now := v.Ready()
		return len(now.Containing("outage")) == 2 && !now.Has("Goes.md") && now.Has("Before.md")
	})
}

// TestRebuiltDatabaseIsNoticed replaces the database with one that has another salt and other notes.
func TestRebuiltDatabaseIsNoticed(t *testing.T) {
	t.Parallel()
	for _, sort := range []string{"plain", "encrypted and obfuscated"} {
		t.Run(sort, func(t *testing.T) {
			database, options := couchtest.New(t), sorts()[sort]
			fill(t, database, options, map[string]string{"Old.md": "old text", "Both.md": "as it was"})
			network := newCuttableNetwork()
			options.Couch.Transport, options.Couch.Sleep = network, shortly
			s := openAs(t, database, options)
			v := openVault(t, s)
			network.cut() // CouchDB closes the feeds of a deleted database
			database.Delete(t)
			network.restore()
			eventually(t, "calls fail", func() bool {
				_, err := s.Read(t.Context(), "Both.md", 1<<20)
				return err != nil && !livesync.Permanent(err)
			})
			network.cut()
			database.Create(t)
			initialize(t, database, options, bytes.Repeat([]byte{2}, 32))
			send(t, database, readRaw(t, database, options.Passphrase).codec, map[string]string{"New.md": "new text", "Both.md": "as it is"})
			network.restore()
			eventually(t, "the new notes are known", func() bool {
				now := v.Ready()
				return now.Has("New.md") && !now.Has("Old.md") && len(now.Containing("as it is")) == 1 && len(now.Containing("as it was")) == 0
			})
			if got := string(read(t, s, "Both.md").Data); got != "as it is" {
				t.Errorf("Both.md is %q", got)
			}
			commit(t, s, store.Change{Path: "Both.md", Base: read(t, s, "Both.md").Rev, Data: []byte("as it shall be")})
			raw := readRaw(t, database, options.Passphrase)
			if content, err := raw.content("Both.md"); err != nil || string(content) != "as it shall be" {
				t.Errorf("Both.md is written as %q, %v", content, err)
			}
		})
	}
}

// TestManyNotesAtOnce lets a device send many notes.
func TestManyNotesAtOnce(t *testing.T) {
	t.Parallel()
	notes := mode.Pick(120, 1000, 1000)
	database := couchtest.New(t)
	fill(t, database, livesync.Options{}, map[string]string{"First.md": "first"})
	counted := newTrafficMeter()
	var options livesync.Options
	options.Couch.Transport = counted
	v := openVault(t, openAs(t, database, options))
	counted.take()
	send(t, database, readRaw(t, database, "").codec, manyNotes(notes))
	eventuallyNoError(t, "all are found", func() error {
		if found := len(v.Ready().Containing("something about")); found != notes {
			return fmt.Errorf("found %d", found)
		}
		return nil
	})
	cost := counted.take()
	t.Logf("%d notes from elsewhere are found with %s", notes, cost)
	if cost.requests > 100 {
		t.Errorf("%d requests: %v", cost.requests, cost.by)
	}
}

// TestNoteIsFoundWhenItsChunkArrives searches for two notes whose chunks arrive late: one existed at the start, the other
// came later.
func TestNoteIsFoundWhenItsChunkArrives(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	fill(t, database, livesync.Options{}, map[string]string{"Early.md": "earlybird", "Good.md": "good"})
	early := damagedNote{database, readRaw(t, database, ""), "Early.md"}
	deleteChunk(t, early)
	v := openVault(t, open(t, database, livesync.Options{}))
	send(t, database, readRaw(t, database, "").codec, map[string]string{"Later.md": "latebird"})
	later := damagedNote{database, readRaw(t, database, ""), "Later.md"}
	deleteChunk(t, later)
	send(t, database, readRaw(t, database, "").codec, map[string]string{"Marker.md": "markerbird"})
	eventually(t, "earlier changes are indexed", func() bool { return len(v.Ready().Containing("markerbird")) == 1 })
	for word, note := range map[string]damagedNote{"earlybird": early, "latebird": later} {
		id, leaf := note.chunk(t)
		delete(leaf, "_rev")
		database.Put(t, id, leaf)
		eventually(t, word+" is found", func() bool { return len(v.Ready().Containing(word)) == 1 })
	}
}

// openVault opens a vault over a store, and waits for its index.
func openVault(t testing.TB, s *livesync.Store) *vault.Vault {
	t.Helper()
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	if _, err := v.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	return v
}

// cuttableNetwork is a network that can be cut, including requests in flight.
type cuttableNetwork struct {
	to http.RoundTripper

	mu       sync.Mutex // guards the fields below
	down     bool
	inFlight []context.CancelFunc
}

var errCut = errors.New("the network is cut")

func newCuttableNetwork() *cuttableNetwork {
	return &cuttableNetwork{to: &http.Transport{DisableCompression: true}}
}

func (c *cuttableNetwork) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = true
	for _, cancel := range c.inFlight {
		cancel()
	}
	c.inFlight = nil
}

func (c *cuttableNetwork) restore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = false
}

// RoundTrip implements http.RoundTripper.
func (c *cuttableNetwork) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(request.Context())
	c.mu.Lock()
	if c.down {
		c.mu.Unlock()
		cancel()
		return nil, errCut
	}
	c.inFlight = append(c.inFlight, cancel)
	c.mu.Unlock()
	return c.to.RoundTrip(request.WithContext(ctx))
}

package livesync_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/livesynctest"
	"obsidian-mcp/internal/testkit/mode"
)

// TestStartAsksForManyNotesAtATime counts what the start of a vault of 1,000
// notes costs.
func TestStartAsksForManyNotesAtATime(t *testing.T) {
	t.Parallel()
	notes := mode.Pick(300, 1000, 1000)
	database, options := couchtest.New(t), sorts()["encrypted and obfuscated"]
	fill(t, database, options, manyNotes(notes))
	counted := newMeter()
	options.Couch.Transport = counted
	s := openAs(t, database, options)
	if err := s.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	probe := counted.take()
	if files := scanAll(t, s); len(files) != notes {
		t.Fatalf("%d files", len(files))
	}
	scan := counted.take()
	t.Logf("%d notes of 2.5 KB: connecting takes %s, reading all takes %s", notes, probe, scan)
	if lists, chunks := probe.by["GET _all_docs"]+scan.by["GET _all_docs"], scan.by["POST _all_docs"]; lists > 16 || chunks > 8 {
		t.Errorf("the documents take %d requests and the chunks %d", lists, chunks)
	}
	if total := probe.requests + scan.requests; total > 50 {
		t.Errorf("the start takes %d requests: %v and %v", total, probe.by, scan.by)
	}
	if total := probe.received + scan.received; total > 6*int64(notes)*2500 {
		t.Errorf("%d bytes come for %d of text", total, notes*2500)
	}

	scanAll(t, s)
	if again := counted.take(); again.by["GET _all_docs"] > 0 || again.by["POST _all_docs"] > 10 {
		t.Errorf("reading all once more: %v", again.by)
	}
	listed := 0
	err := s.Scan(t.Context(), func(store.Info) bool { return false }, func(store.Found) { listed++ })
	if err != nil || listed < notes {
		t.Errorf("%d files, %v", listed, err)
	}
	if again := counted.take(); again.by["GET _all_docs"]+again.by["POST _all_docs"] > 0 {
		t.Errorf("listing what is known: %v", again.by)
	}
}

// TestOneLineOfALongNote counts what changing one line of a note of 300 KB
// uploads.
func TestOneLineOfALongNote(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "e2ee-v2-obfuscated"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := fixtureNamed(t, name)
			database := one.load(t)
			counted := newMeter()
			options := livesync.Options{Passphrase: one.pass}
			options.Couch.Transport = counted
			s := openAs(t, database, options)
			before := readRaw(t, database, one.pass)
			note := read(t, s, longNote)
			if _, err := s.TrashPath(t.Context(), note.Path); err != nil { // which lists the vault
				t.Fatal(err)
			}
			counted.take()
			lines := strings.SplitAfter(string(note.Data), "\n")
			lines[len(lines)/2] = "this line was " + secretText + "\n"
			data := []byte(strings.Join(lines, ""))
			commit(t, s, store.Change{Path: note.Path, Base: note.Rev, Data: data})
			cost := counted.take()
			after := readRaw(t, database, one.pass)
			after.checkWritten(t, longNote, written{data, nil})
			made := len(after.leaves()) - len(before.leaves())
			t.Logf("%d of %d chunks made for one line of %d bytes: %s", made, len(after.files[longNote].Children), len(data), cost)
			if made < 1 || made > 6 || cost.requests > 12 {
				t.Errorf("%d chunks made, %v", made, cost.by)
			}
		})
	}
}

// TestCommitOfManyNotesIsFewRequests changes many notes as one unit.
func TestCommitOfManyNotesIsFewRequests(t *testing.T) {
	t.Parallel()
	const notes = 200
	database := couchtest.New(t)
	fill(t, database, livesync.Options{}, manyNotes(notes))
	counted := newMeter()
	var options livesync.Options
	options.Couch.Transport = counted
	s := openAs(t, database, options)
	var changes []store.Change
	for path, file := range scanAll(t, s) {
		changes = append(changes, store.Change{Path: file.Path, Base: store.Rev(file.Mark), Data: []byte("now " + path)})
	}
	counted.take()
	commit(t, s, changes...)
	if cost := counted.take(); cost.requests > 25 {
		t.Errorf("%d notes take %d requests: %v", notes, cost.requests, cost.by)
	} else {
		t.Logf("%d notes changed in one commit: %s", notes, cost)
	}
	for path, file := range scanAll(t, s) {
		if string(file.Data) != "now "+path {
			t.Errorf("%s reads %q", path, file.Data)
		}
	}
}

// manyNotes are notes of 2.5 KB in some folders, each different.
func manyNotes(n int) map[string]string {
	notes := map[string]string{}
	for i := range n {
		var text strings.Builder
		for line := 0; text.Len() < 2500; line++ {
			fmt.Fprintf(&text, "note %d says in line %d something about %x\n", i, line, i*i+line)
		}
		notes[fmt.Sprintf("Folder %d/Note %d.md", i%20, i)] = text.String()[:2500]
	}
	return notes
}

// fill makes a database of a sort, as a device does, and puts notes into it.
func fill(t testing.TB, database *couchtest.Database, options livesync.Options, notes map[string]string) {
	t.Helper()
	initialize(t, database, options, salt)
	send(t, database, readRaw(t, database, options.Passphrase).codec, notes)
}

// v1Passphrase is the passphrase of a database in the form that plugins before 0.25 write, with few iterations.
const v1Passphrase = format.Passphrase("a passphrase of more than fifteen letters")

// plainAndSealed are a sort of database without encryption, and one in which everything is encrypted in the form before
// 0.25.
func plainAndSealed() map[string]livesync.Options {
	return map[string]livesync.Options{"plain": {}, "encrypted and obfuscated": {Passphrase: v1Passphrase}}
}

// initialize makes a database ready for devices.
func initialize(t testing.TB, database *couchtest.Database, options livesync.Options, salt []byte) {
	t.Helper()
	settings := format.Settings{HashAlg: format.XXHash64, Algorithm: format.EncryptV2, Split: format.SplitRule{MinimumChunkSize: 20}}
	settings.Encrypt = options.Passphrase != ""
	settings.ObfuscatePaths = options.Obfuscated != nil && *options.Obfuscated
	if options.Passphrase == v1Passphrase {
		settings.Algorithm, settings.DynamicIterations, settings.ObfuscatePaths = format.EncryptV1, true, true
	}
	livesynctest.Initialize(t, database, settings, salt)
}

// send writes new notes as a device does: their chunks, and then all documents
// at once.
func send(t testing.TB, database *couchtest.Database, codec *format.Codec, notes map[string]string) {
	t.Helper()
	var leaves, files []any
	for path, text := range notes {
		upload, err := codec.Write(nil, format.Change{Path: path, Content: []byte(text), Now: time.Now().UnixMilli()})
		if err != nil {
			t.Fatal(err)
		}
		for _, leaf := range upload.Leaves {
			leaves = append(leaves, json.RawMessage(leaf.Body))
		}
		files = append(files, json.RawMessage(upload.Body))
	}
	for _, documents := range [][]any{leaves, files} {
		if len(documents) == 0 {
			continue
		}
		status, said := database.Do(t, http.MethodPost, "/_bulk_docs", map[string]any{"docs": documents})
		if status != http.StatusCreated {
			t.Fatalf("%d %s", status, said)
		}
	}
}

// meter counts what goes between a store and its database.
type meter struct {
	to http.RoundTripper

	mu  sync.Mutex // guards sum
	sum traffic
}

// traffic is how much that was. The feed of changes, which is always waiting,
// is counted by its bytes alone.
type traffic struct {
	requests       int
	sent, received int64
	by             map[string]int // requests to each endpoint
}

func (t traffic) String() string {
	return fmt.Sprintf("%d requests, %.1f KB sent, %.1f KB received", t.requests, float64(t.sent)/1000, float64(t.received)/1000)
}

func newMeter() *meter {
	return &meter{to: &http.Transport{DisableCompression: true}, sum: traffic{by: map[string]int{}}}
}

// take gives what was counted since it was last asked.
func (m *meter) take() traffic {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := m.sum
	m.sum = traffic{by: map[string]int{}}
	return sum
}

// RoundTrip implements http.RoundTripper.
func (m *meter) RoundTrip(request *http.Request) (*http.Response, error) {
	endpoint := request.Method + " " + endpointOf(request.URL.Path)
	m.mu.Lock()
	if !strings.HasSuffix(endpoint, "_changes") {
		m.sum.requests++
	}
	m.sum.by[endpoint]++
	m.sum.sent += max(request.ContentLength, 0)
	m.mu.Unlock()
	response, err := m.to.RoundTrip(request)
	if err == nil {
		response.Body = metered{response.Body, m}
	}
	return response, err
}

// endpointOf is what follows the database's name, without ids.
func endpointOf(path string) string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	first, _, _ := strings.Cut(rest, "/")
	if first == "" || strings.HasPrefix(first, "_") {
		return first
	}
	return "document"
}

// metered is an answer whose bytes are counted.
type metered struct {
	io.ReadCloser
	by *meter
}

func (m metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.by.mu.Lock()
	defer m.by.mu.Unlock()
	m.by.sum.received += int64(n)
	return n, err
}

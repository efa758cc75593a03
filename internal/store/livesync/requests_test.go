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

// TestStartNeedsFewRequests counts the requests for opening and reading a vault with many notes.
func TestStartNeedsFewRequests(t *testing.T) {
	t.Parallel()
	notes := mode.Pick(80, 1000, 1000)
	database, options := couchtest.New(t), sorts()["encrypted and obfuscated"]
	fill(t, database, options, manyNotes(notes))
	counted := newTrafficMeter()
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
		t.Errorf("%d requests for documents and %d for chunks", lists, chunks)
	}
	if total := probe.requests + scan.requests; total > 50 {
		t.Errorf("%d requests: %v and %v", total, probe.by, scan.by)
	}
	if total := probe.received + scan.received; total > 6*int64(notes)*2500 {
		t.Errorf("received %d bytes for %d bytes of text", total, notes*2500)
	}

	scanAll(t, s)
	if again := counted.take(); again.by["GET _all_docs"] > 0 || again.by["POST _all_docs"] > 10 {
		t.Errorf("reading everything again: %v", again.by)
	}
	listed := 0
	err := s.Scan(t.Context(), func(store.Info) bool { return false }, func(store.Found) { listed++ })
	if err != nil || listed < notes {
		t.Errorf("%d files, %v", listed, err)
	}
	if again := counted.take(); again.by["GET _all_docs"]+again.by["POST _all_docs"] > 0 {
		t.Errorf("listing from the catalogue: %v", again.by)
	}
}

// TestEditOfALongNoteUploadsLittle counts the chunks that changing one line of a note of 300 KB uploads.
func TestEditOfALongNoteUploadsLittle(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "e2ee-v2-obfuscated"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fixture := fixtureNamed(t, name)
			database := fixture.load(t)
			counted := newTrafficMeter()
			options := livesync.Options{Passphrase: fixture.pass}
			options.Couch.Transport = counted
			s := openAs(t, database, options)
			before := readRaw(t, database, fixture.pass)
			note := read(t, s, longNote)
			if _, err := s.TrashPath(t.Context(), note.Path); err != nil { // needs the list
				t.Fatal(err)
			}
			counted.take()
			lines := strings.SplitAfter(string(note.Data), "\n")
			lines[len(lines)/2] = "this line was " + secretText + "\n"
			data := []byte(strings.Join(lines, ""))
			commit(t, s, store.Change{Path: note.Path, Base: note.Rev, Data: data})
			cost := counted.take()
			after := readRaw(t, database, fixture.pass)
			after.checkWritten(t, longNote, wantWritten{data, nil})
			made := len(after.leaves()) - len(before.leaves())
			t.Logf("%d of %d chunks made for one line of %d bytes: %s", made, len(after.files[longNote].Children), len(data), cost)
			if made < 1 || made > 6 || cost.requests > 12 {
				t.Errorf("%d chunks made, %v", made, cost.by)
			}
		})
	}
}

// TestCommitOfManyNotesNeedsFewRequests changes many notes in one commit.
func TestCommitOfManyNotesNeedsFewRequests(t *testing.T) {
	t.Parallel()
	notes := mode.Pick(50, 200, 200)
	database := couchtest.New(t)
	fill(t, database, livesync.Options{}, manyNotes(notes))
	counted := newTrafficMeter()
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
		t.Errorf("%d requests for %d notes: %v", cost.requests, notes, cost.by)
	} else {
		t.Logf("%d notes changed in one commit: %s", notes, cost)
	}
	for path, file := range scanAll(t, s) {
		if string(file.Data) != "now "+path {
			t.Errorf("%s is %q", path, file.Data)
		}
	}
}

// TestReadingAndEditingANoteNeedFewRequests counts the requests of a server that has been idle: it knows the list of notes, and
// neither the note's text nor whether the database may still be written.
func TestReadingAndEditingANoteNeedFewRequests(t *testing.T) {
	t.Parallel()
	for name, options := range sorts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := couchtest.New(t)
			fill(t, database, options, manyNotes(10))
			counted := newTrafficMeter()
			options.Couch.Transport = counted
			options.Now = func() time.Time { return time.UnixMilli(1_800_000_000_000) } // however slow the machine is, what was read was just read
			s := openAs(t, database, options)
			if database.Copies(t) > 1 {
				t.Skip("a cluster is asked more, because one node may not know everything")
			}
			commit(t, s, store.Change{Path: "first.md", Data: []byte("the first edit learns what the later ones know\n")})
			time.Sleep(1100 * time.Millisecond) // the last check that the database may be written is no longer valid
			counted.take()

			note := read(t, s, "Folder 1/Note 1.md")
			reading := counted.take()
			if reading.requests > 3 {
				t.Errorf("%d requests to read a note: %v", reading.requests, reading.by)
			}
			after := append(note.Data, "- one line more\n"...)
			commit(t, s, store.Change{Path: note.Path, Base: note.Rev, Data: after})
			if writing := counted.take(); reading.requests+writing.requests > 5 {
				t.Errorf("%d requests to read a note, and %d to add a line: %v", reading.requests, writing.requests, writing.by)
			}
			if got := read(t, s, string(note.Path)); string(got.Data) != string(after) {
				t.Errorf("the note is %q", got.Data)
			}
		})
	}
}

// manyNotes returns n different notes of 2.5 KB in 20 folders.
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

// fill initializes a database and writes notes, as a device does.
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

// send writes new notes as a device does: first their chunks, then all documents at once.
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
		status, response := database.Do(t, http.MethodPost, "/_bulk_docs", map[string]any{"docs": documents})
		if status != http.StatusCreated {
			t.Fatalf("%d %s", status, response)
		}
	}
}

// trafficMeter counts the requests and bytes between a store and its database.
type trafficMeter struct {
	to http.RoundTripper

	mu  sync.Mutex // guards sum
	sum traffic
}

// traffic is an amount of requests and bytes. Requests of the feed are counted only in by.
type traffic struct {
	requests       int
	sent, received int64
	by             map[string]int // requests to each endpoint
}

func (t traffic) String() string {
	return fmt.Sprintf("%d requests, %.1f KB sent, %.1f KB received", t.requests, float64(t.sent)/1000, float64(t.received)/1000)
}

func newTrafficMeter() *trafficMeter {
	return &trafficMeter{to: &http.Transport{DisableCompression: true}, sum: traffic{by: map[string]int{}}}
}

// take returns the traffic since the last call.
func (m *trafficMeter) take() traffic {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := m.sum
	m.sum = traffic{by: map[string]int{}}
	return sum
}

// RoundTrip implements http.RoundTripper.
func (m *trafficMeter) RoundTrip(request *http.Request) (*http.Response, error) {
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
		response.Body = meteredBody{response.Body, m}
	}
	return response, err
}

// endpointOf returns the part of a path after the database's name, without ids.
func endpointOf(path string) string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	first, _, _ := strings.Cut(rest, "/")
	if first == "" || strings.HasPrefix(first, "_") {
		return first
	}
	return "document"
}

// meteredBody counts the bytes of a response.
type meteredBody struct {
	body io.ReadCloser
	by   *trafficMeter
}

func (m meteredBody) Close() error { return m.body.Close() }

func (m meteredBody) Read(p []byte) (int, error) {
	n, err := m.body.Read(p)
	m.by.mu.Lock()
	defer m.by.mu.Unlock()
	m.by.sum.received += int64(n)
	return n, err
}

package livesync_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/livesynctest"
)

// moment is when a node is about to write a document to a copy, for the nth time.
type moment struct{ node, number, nth int }

// done is when a test says so.
var done = moment{}

// timetable lets nodes write a document to copies in a certain order.
type timetable struct {
	after     map[moment]moment // what each moment waits for
	meanwhile map[moment]func() // what happens then

	reached map[moment]chan struct{}

	mu     sync.Mutex     // guards writes
	writes map[[2]int]int // by node and copy
}

func newTimetable(cluster *couchtest.Cluster, id string, after map[moment]moment) *timetable {
	t := &timetable{after: after, writes: map[[2]int]int{}, reached: map[moment]chan struct{}{}}
	for later, earlier := range after {
		for _, at := range []moment{later, earlier} {
			if t.reached[at] == nil {
				t.reached[at] = make(chan struct{})
			}
		}
	}
	cluster.Before(func(node, number int, ids []string) {
		if slices.Contains(ids, id) {
			t.begin(node, number)
		}
	})
	return t
}

func (t *timetable) begin(node, number int) {
	t.mu.Lock()
	t.writes[[2]int{node, number}]++
	now := moment{node, number, t.writes[[2]int{node, number}]}
	t.mu.Unlock()
	t.reach(now)
	if earlier, waits := t.after[now]; waits {
		t.await(earlier)
	}
	if do := t.meanwhile[now]; do != nil {
		do()
	}
}

func (t *timetable) await(at moment) { <-t.reached[at] }

func (t *timetable) reach(now moment) {
	if reached := t.reached[now]; reached != nil {
		close(reached)
	}
}

// expectEverywhere checks that every server sees a text, and no conflict.
func expectEverywhere(t *testing.T, servers []*livesync.Store, path vpath.Path, text string) {
	t.Helper()
	for i, s := range servers {
		if file := readSettled(t, s, path); string(file.Data) != text || len(file.Conflicts) > 0 {
			t.Errorf("server %d sees %q and the conflicts %v", i, file.Data, file.Conflicts)
		}
	}
}

// deviceNote makes the document of New.md as a device writes it, as a revision that comes after others.
func deviceNote(t *testing.T, database *couchtest.Database, text, rev string, earlier ...string) map[string]any {
	t.Helper()
	return deviceFile(t, database, "New.md", text, rev, earlier...)
}

// deviceFile makes the document of a file as a device writes it, as a revision that comes after others.
func deviceFile(t *testing.T, database *couchtest.Database, path, text, rev string, earlier ...string) map[string]any {
	t.Helper()
	note, err := livesynctest.Codec(t, database, "").Write(nil, format.Change{Path: path, Content: []byte(text), Now: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range note.Leaves {
		database.Put(t, leaf.ID, json.RawMessage(leaf.Body))
	}
	var body map[string]any
	if err := json.Unmarshal(note.Body, &body); err != nil {
		t.Fatal(err)
	}
	body["_rev"], body["_revisions"] = rev, map[string]any{"start": couch.Generation(rev), "ids": append([]string{rev[2:]}, earlier...)}
	return body
}

// hash is that of a revision.
func hash(digit string) string { return strings.Repeat(digit, 32) }

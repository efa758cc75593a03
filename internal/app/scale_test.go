package app

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/testkit/mode"
)

// TestSeveralServers: three servers of one database serve the same vault, whichever of them gets a call.
func TestSeveralServers(t *testing.T) {
	t.Parallel()
	f := startFleet(t, "OBSIDIAN_MCP_CONFIRM_OVER=3")
	t.Run("each call sees the changes of earlier calls", f.testConsecutive)
	t.Run("a confirmation holds on all servers", f.testConfirmation)
	t.Run("sessions that stay on their server", f.testSticky)
	t.Run("sessions that change servers", f.testWandering)
	t.Run("edits at the same time", f.testRacing)
}

type args = map[string]any

func (f *fleet) testConsecutive(t *testing.T) {
	c := f.balancer.in(t).sessionless("")
	for i := range mode.Pick(1, 5, 5) {
		first, second, moved := fmt.Sprintf("round %d/First", i), fmt.Sprintf("round %d/Second", i), fmt.Sprintf("moved %d/Renamed", i)
		c.done("create_note", args{"name": first, "content": "some words"})
		c.reads(first, "some words")
		c.done("create_note", args{"name": second, "content": "See [[" + first + "]]."})
		c.done("append_note", args{"name": first, "text": "more words"})
		c.reads(first, "more words")
		c.refused("exists", "create_note", args{"name": first, "content": "again"})
		c.done("replace_text", args{"name": first, "old_text": "more words", "new_text": "other words"})
		c.reads(first, "other words")
		f.awaitFound(t, second, fmt.Sprintf("path:\"round %d\" Second", i)) // a rename updates the links that are indexed
		c.done("rename_note", args{"old_name": first, "new_name": moved})
		c.reads(moved, "other words")
		c.refused("not", "read_note", args{"name": first})
		c.reads(second, "Renamed]]")
		c.done("delete_note", args{"name": moved})
		c.refused("not", "read_note", args{"name": moved})
		c.done("create_note", args{"name": moved, "content": "once more"})
		c.reads(moved, "once more")
	}
}

// awaitFound waits until each server finds a note.
func (f *fleet) awaitFound(t *testing.T, name, query string) {
	t.Helper()
	for i, server := range f.servers {
		c := server.in(t).sessionless("")
		eventually(t, fmt.Sprintf("server %d does not find %s", i, name), searchable, func() bool {
			return strings.Contains(c.done("find_notes", args{"query": query, "include_content": false}), name+".md")
		})
	}
}

// searchable is how long a test waits until one server finds what another wrote.
const searchable = time.Minute

func (f *fleet) testConfirmation(t *testing.T) {
	c := f.balancer.in(t).sessionless("")
	c.done("create_note", args{"name": "Hub", "content": "all link here"})
	for i := range 5 {
		c.done("create_note", args{"name": fmt.Sprintf("Spoke %d", i), "content": "[[Hub]]"})
	}
	for i := range 5 {
		f.awaitFound(t, fmt.Sprintf("Spoke %d", i), "file:Spoke")
	}
	rename := args{"old_name": "Hub", "new_name": "Centre"}
	asked := c.call("rename_note", rename)
	id := regexp.MustCompile(`confirm='([^']+)'`).FindStringSubmatch(asked.text())
	if !asked.IsError || id == nil {
		t.Fatalf("no confirmation is asked for: %s", asked.text())
	}
	rename["confirm"] = id[1]
	c.done("rename_note", rename)
	for i := range 5 {
		c.reads(fmt.Sprintf("Spoke %d", i), "[[Centre]]")
	}
}

func (f *fleet) testSticky(t *testing.T) {
	f.keepSessions(true)
	defer f.keepSessions(false)
	for i := range 4 {
		writer, reader := f.balancer.in(t).session(""), f.balancer.in(t).session("")
		name := fmt.Sprintf("Of session %d", i)
		writer.done("create_note", args{"name": name, "content": "one"})
		reader.reads(name, "one")
		reader.done("append_note", args{"name": name, "text": "two"})
		writer.reads(name, "two")
	}
}

// testWandering: a server that does not know a session answers 404. That tells the client to start another session, which
// works there.
func (f *fleet) testWandering(t *testing.T) {
	session := f.servers[0].in(t).session("")
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_notes","arguments":{}}}`
	var lost int
	for range len(f.servers) {
		switch got := f.balancer.in(t).do("POST", "/mcp", message, session.headers([]string{"Mcp-Protocol-Version: 2025-11-25"})...); got.status {
		case http.StatusOK:
		case http.StatusNotFound:
			lost++
		default:
			t.Errorf("status %d: %s", got.status, got.body)
		}
	}
	if lost != len(f.servers)-1 {
		t.Errorf("%d of %d servers do not know the session", lost, len(f.servers))
	}
	again := f.servers[1].in(t).session("")
	again.done("list_notes", args{})
	session.done("list_notes", args{})
}

// testRacing: concurrent edits through all servers lose nothing.
func (f *fleet) testRacing(t *testing.T) {
	const writers, notes = 6, 3
	lines := mode.Pick(4, 12, 12)
	c := f.balancer.in(t).sessionless("")
	for n := range notes {
		c.done("create_note", args{"name": raceNote(n), "content": "start"})
	}
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() { f.appendLines(t, w, lines, notes) })
	}
	wait.Wait()
	for n := range notes {
		text := c.done("read_note", args{"name": raceNote(n)})
		for w := range writers {
			for l := range lines {
				want := 0
				if (w+l)%notes == n {
					want = 1
				}
				if got := strings.Count(text, marker(w, l)); got != want {
					t.Errorf("%s has %q %d times instead of %d", raceNote(n), marker(w, l), got, want)
				}
			}
		}
	}
}

func raceNote(n int) string { return fmt.Sprintf("Race %d", n) }

func marker(writer, line int) string { return fmt.Sprintf("(writer %d, line %d)", writer, line) }

// appendLines appends lines to notes in turn, and retries on conflicts with others.
func (f *fleet) appendLines(t *testing.T, writer, lines, notes int) {
	c := f.balancer.in(t).sessionless("")
	for l := range lines {
		appending := args{"name": raceNote((writer + l) % notes), "text": marker(writer, l)}
		for attempt := 0; ; attempt++ {
			result := c.call("append_note", appending)
			if !result.IsError {
				break
			}
			if !strings.Contains(result.text(), "has changed since") || attempt == 50 {
				t.Errorf("%v: %s", appending, result.text())
				return
			}
		}
	}
}

// TestServerDiesDuringRename: another server finishes or undoes a rename that a server did not finish.
func TestServerDiesDuringRename(t *testing.T) {
	t.Parallel()
	f := startFleet(t)
	moments := map[string]int{"before the old name is gone": 2}
	if mode.Full() {
		moments["before the notes are written"] = 1
	}
	for name, fatal := range moments {
		t.Run(name, func(t *testing.T) {
			r := f.newRename(t, fatal)
			r.die(t)
			if !mode.Long() {
				f.impatient(t) // the other servers wait for half a minute before they take over
			}
			eventually(t, "the rename is neither finished nor undone", mode.Patience, func() bool { return r.isConsistent(t) })
			f.balancer.in(t).sessionless("").done("append_note", args{"name": r.linking[0], "text": "it goes on"})
		})
	}
}

// rename is a rename with links to update, during which the server dies.
type rename struct {
	fleet    *fleet
	old, new string
	linking  []string
	fatal    int // which write of notes after the journal never arrives, 1 for the first
}

func (f *fleet) newRename(t *testing.T, fatal int) *rename {
	t.Helper()
	r := &rename{fleet: f, old: fmt.Sprintf("Old %d", fatal), new: fmt.Sprintf("New %d", fatal), fatal: fatal}
	c := f.balancer.in(t).sessionless("")
	c.done("create_note", args{"name": r.old, "content": "the note"})
	for i := range mode.Pick(6, 12, 12) {
		r.linking = append(r.linking, fmt.Sprintf("Linking %d-%d", fatal, i))
		c.done("create_note", args{"name": r.linking[i], "content": "[[" + r.old + "]]"})
	}
	return r
}

// die starts the rename on an extra server, which is killed during it.
func (r *rename) die(t *testing.T) {
	t.Helper()
	proxy := couchtest.NewProxy(t, r.fleet.database.URL, "")
	dying := startHTTP(t, "", r.fleet.settings("COUCHDB_BASE_URL="+proxy.URL)...)
	stuck := r.stickAt(proxy)
	c := dying.sessionless("")
	text, headers := c.encode("rename", "tools/call", map[string]any{"name": "rename_note", "arguments": args{"old_name": r.old, "new_name": r.new}})
	go func() {
		if answer, err := dying.client.Do(dying.newRequest(t.Context(), "POST", "/mcp", text, c.headers(headers)...)); err == nil {
			answer.Body.Close()
		}
	}()
	select {
	case <-stuck:
	case <-time.After(mode.Patience):
		t.Fatal("the rename makes fewer writes")
	}
	dying.crash()
}

// stickAt forwards all writes to the database before the fatal one, which hangs.
func (r *rename) stickAt(proxy *couchtest.Proxy) <-chan struct{} {
	stuck := make(chan struct{})
	begun, writes := false, 0
	proxy.Script(func(request *http.Request) couchtest.Fault {
		path := request.URL.Path
		if request.Method == http.MethodPut && strings.Contains(path, "/_local/obsidian-mcp-journal-") {
			begun = true
		}
		if !begun || !strings.HasSuffix(path, "/_bulk_docs") {
			return nil
		}
		if writes++; writes == r.fatal {
			close(stuck)
		}
		if writes >= r.fatal {
			return couchtest.Hang()
		}
		return nil
	})
	return stuck
}

// isConsistent reports whether all notes are as before the rename, or all as after it.
func (r *rename) isConsistent(t *testing.T) bool {
	t.Helper()
	c := r.fleet.balancer.in(t).sessionless("")
	exists := func(name string) bool { return !c.call("read_note", args{"name": name}).IsError }
	old := exists(r.old)
	if exists(r.new) == old {
		return false
	}
	link := "[[" + r.new + "]]"
	if old {
		link = "[[" + r.old + "]]"
	}
	for _, name := range r.linking {
		if !strings.Contains(c.done("read_note", args{"name": name}), link) {
			return false
		}
	}
	return true
}

// impatient opens the database like another server that takes over unfinished changes at once.
func (f *fleet) impatient(t *testing.T) {
	t.Helper()
	d := f.database
	s, err := livesync.Open(livesync.Options{
		Couch:      couch.Options{URL: d.URL, Database: d.Name, User: d.User, Password: couch.Secret(d.Password)},
		Passphrase: fleetPassphrase, Patience: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
}

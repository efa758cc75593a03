package livesync_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/testkit/mode"
)

// openNodes opens a store on each node of a cluster.
func openNodes(t *testing.T, cluster *couchtest.Cluster, options livesync.Options) (servers []*livesync.Store) {
	t.Helper()
	for _, node := range cluster.Nodes {
		options := options
		options.Couch.URL = node
		options.Confirm = cmp.Or(options.Confirm, 2*time.Minute) // however slow the machine is
		servers = append(servers, openAs(t, cluster.Database, options))
	}
	return servers
}

// appendLine adds a line to a note, and repeats that after conflicts, as the vault does.
func appendLine(t *testing.T, s *livesync.Store, path vpath.Path, line string) error {
	deadline := time.Now().Add(time.Minute)
	for {
		file, err := s.Read(t.Context(), path, 1<<20)
		if err == nil {
			_, err = s.Commit(t.Context(), []store.Change{{Path: path, Base: file.Rev, Data: append(file.Data, line...)}})
		}
		if !errors.Is(err, fault.Conflict) || errors.Is(err, store.ErrUnresolved) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestClusterKeepsEveryWrite lets a server on each node of a cluster add lines to one note as fast as it can. Two nodes often take
// two writes over the same revision; every line that was reported as written is in the note once, and no conflict is left. In its
// long form, somebody may stop nodes of a real cluster meanwhile.
func TestClusterKeepsEveryWrite(t *testing.T) {
	t.Parallel()
	cluster := couchtest.NewCluster(t)
	startVault(t, cluster.Database, livesync.Options{})
	servers := openNodes(t, cluster, livesync.Options{})
	rounds := mode.Pick(10, 40, 300)
	written := make([][]bool, len(servers)) // which lines were reported as written
	var all sync.WaitGroup
	for i, s := range servers {
		written[i] = make([]bool, rounds)
		all.Go(func() {
			for round := range rounds {
				err := appendLine(t, s, "First.md", lineOf(i, round))
				written[i][round] = err == nil
				if fault.KindOf(err) == fault.StoreUnavailable && mode.Long() {
					time.Sleep(time.Second)
				} else if err != nil {
					t.Errorf("server %d, line %d: %v", i, round, err)
					return
				}
			}
		})
	}
	all.Wait()
	cluster.Settle(t)
	for i, s := range servers {
		file := readSettled(t, s, "First.md")
		if len(file.Conflicts) > 0 {
			t.Errorf("server %d sees conflicts: %v", i, file.Conflicts)
		}
		acknowledged := 0
		for server := range servers {
			for round, isWritten := range written[server] {
				if isWritten {
					acknowledged++
				}
				if n := strings.Count("\n"+string(file.Data), "\n"+lineOf(server, round)); n != 1 && (isWritten || n > 1) {
					t.Errorf("server %d sees line %d of server %d %d times", i, round, server, n)
				}
			}
		}
		t.Logf("server %d: %d of %d lines were reported as written", i, acknowledged, rounds*len(servers))
	}
}

func lineOf(server, round int) string { return fmt.Sprintf("line %d of server %d\n", round, server) }

// readSettled reads a note once the copies of a cluster have become equal.
func readSettled(t *testing.T, s *livesync.Store, path vpath.Path) (file store.File) {
	t.Helper()
	eventuallyNoError(t, "the note can be read", func() (err error) {
		file, err = s.Read(t.Context(), path, 1<<20)
		return err
	})
	return file
}

// TestClusterFounders lets three servers write to an empty database at once. They agree on its settings, and all notes are there.
func TestClusterFounders(t *testing.T) {
	t.Parallel()
	for round := range 2 {
		cluster := couchtest.NewCluster(t)
		servers := openNodes(t, cluster, livesync.Options{Passphrase: "of no importance"})
		var all sync.WaitGroup
		for i, s := range servers {
			all.Go(func() {
				if _, err := s.Commit(t.Context(), []store.Change{{Path: vpath.Path(fmt.Sprintf("Note %d.md", i)), Data: []byte("text")}}); err != nil {
					t.Errorf("round %d, server %d: %v", round, i, err)
				}
			})
		}
		all.Wait()
		cluster.Settle(t)
		for i := range servers {
			for _, s := range servers {
				readSettled(t, s, vpath.Path(fmt.Sprintf("Note %d.md", i)))
			}
		}
		if after := openNodes(t, cluster, livesync.Options{Passphrase: "of no importance"}); len(scanAll(t, after[0])) != len(servers) {
			t.Errorf("round %d: a server that starts later finds other notes", round)
		}
	}
}

// simulated makes a cluster whose network the test controls, with a vault in it.
func simulated(t *testing.T) *couchtest.Cluster {
	t.Helper()
	cluster := couchtest.NewSimulated(t)
	startVault(t, cluster.Database, livesync.Options{})
	return cluster
}

// meet lets the first and the last node write a document each to their own copies before either goes on to the others: one of the two
// writes is confirmed then, and the other one only accepted. Neither writes before the other is about to, or it would be seen.
func meet(cluster *couchtest.Cluster, id string) {
	var begun, written sync.WaitGroup
	begun.Add(2)
	written.Add(2)
	var first [2][3]sync.Once // for each node: its own copy, another one
	wait := func(both *sync.WaitGroup) func() {
		return func() {
			both.Done()
			both.Wait()
		}
	}
	cluster.Before(func(node, number int, ids []string) {
		switch {
		case !slices.Contains(ids, id):
		case number == node:
			first[0][node].Do(wait(&begun))
		default:
			first[1][node].Do(wait(&written))
		}
	})
}

// TestClusterJoinsBranches has two nodes take a write over the same revision, one of which is confirmed and the other one only
// accepted. Both lines are in the note, and no conflict is left.
func TestClusterJoinsBranches(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	servers := openNodes(t, cluster, livesync.Options{})
	for _, s := range servers {
		readSettled(t, s, "First.md")
	}
	meet(cluster, "first.md")
	var all sync.WaitGroup
	for _, i := range []int{0, 2} {
		all.Go(func() {
			if err := appendLine(t, servers[i], "First.md", fmt.Sprintf("of server %d\n", i)); err != nil {
				t.Errorf("server %d: %v", i, err)
			}
		})
	}
	all.Wait()
	cluster.Settle(t)
	for i, s := range servers {
		file := readSettled(t, s, "First.md")
		if text := string(file.Data); len(text) != len("first\nof server 0\nof server 2\n") || !strings.Contains(text, "\nof server 0\n") ||
			!strings.Contains(text, "\nof server 2\n") || len(file.Conflicts) > 0 {
			t.Errorf("server %d sees %q and the conflicts %v", i, text, file.Conflicts)
		}
	}
}

// TestClusterCreatesOnce has two nodes take two new notes of the same name. One of them stays, and the other caller hears of it.
func TestClusterCreatesOnce(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	servers := openNodes(t, cluster, livesync.Options{})
	meet(cluster, "new.md")
	results := make([]error, len(servers))
	var all sync.WaitGroup
	for _, i := range []int{0, 2} {
		all.Go(func() {
			_, results[i] = servers[i].Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte(fmt.Sprintf("of server %d\n", i))}})
		})
	}
	all.Wait()
	cluster.Settle(t)
	if (results[0] == nil) == (results[2] == nil) {
		t.Errorf("the callers heard %v and %v", results[0], results[2])
	}
	for i, s := range servers {
		file := readSettled(t, s, "New.md")
		for _, winner := range []int{0, 2} {
			if results[winner] == nil && string(file.Data) != fmt.Sprintf("of server %d\n", winner) || len(file.Conflicts) > 0 {
				t.Errorf("server %d sees %q and the conflicts %v after %v and %v", i, file.Data, file.Conflicts, results[0], results[2])
			}
		}
	}
}

// TestClusterMoveMeetsEdit has one node move a note while another one takes an edit of it. The edit is in a note, and there is no
// conflict.
func TestClusterMoveMeetsEdit(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	servers := openNodes(t, cluster, livesync.Options{})
	base := readSettled(t, servers[0], "First.md").Rev
	meet(cluster, "first.md")
	var moved, edited error
	var all sync.WaitGroup
	all.Go(func() {
		_, moved = servers[0].Commit(t.Context(), []store.Change{{Op: store.Move, Path: "First.md", To: "Moved.md", Base: base}})
	})
	all.Go(func() {
		_, edited = servers[2].Commit(t.Context(), []store.Change{{Path: "First.md", Base: base, Data: []byte("first\nedited\n")}})
	})
	all.Wait()
	cluster.Settle(t)
	for i, s := range servers {
		found := 0
		for path, file := range scanAll(t, s) {
			if strings.Contains(string(file.Data), "edited\n") {
				found++
			}
			if len(file.Conflicts) > 0 {
				t.Errorf("server %d sees a conflict of %s", i, path)
			}
		}
		if edited == nil && found != 1 || moved != nil && edited != nil {
			t.Errorf("server %d sees the edit in %d notes; the move gave %v, the edit %v", i, found, moved, edited)
		}
	}
}

// apart cuts the third node off, with its copy.
func apart(node, number int) bool { return (node == 2) == (number == 2) }

// TestClusterApart writes on both sides of a cluster that has fallen apart. The smaller side does not confirm its write; when the
// cluster is whole again, the note has both. Nobody takes the database for another one.
func TestClusterApart(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	var log syncBuffer
	options := livesync.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
	servers := openNodes(t, cluster, options)[:2]
	options.Confirm = 500 * time.Millisecond // it waits in vain
	servers = append(servers, openNodes(t, cluster, options)[2])
	for _, s := range servers {
		readSettled(t, s, "First.md")
	}
	cluster.Before(func(node, number int, written []string) {
		if node == 2 && number == 1 && strings.HasPrefix(written[0], "h:") {
			cluster.Reach(apart) // after the chunks, before the note
		}
	})
	err := appendLine(t, servers[2], "First.md", "of the smaller side\n")
	if fault.KindOf(err) != fault.StoreUnavailable || !strings.Contains(fault.HintOf(err), "look at the note") {
		t.Errorf("a write to one of three nodes: %v (%s)", err, fault.HintOf(err))
	}
	cluster.Before(nil)
	if err := appendLine(t, servers[0], "First.md", "of the larger side\n"); err != nil {
		t.Error(err)
	}
	_, err = servers[2].Commit(t.Context(), []store.Change{{Path: "Another.md", Data: []byte("text")}})
	if fault.KindOf(err) != fault.StoreUnavailable || !strings.Contains(fault.HintOf(err), "nothing has changed") {
		t.Errorf("a chunk on one of three nodes: %v (%s)", err, fault.HintOf(err))
	}
	cluster.Reach(nil)
	cluster.Settle(t)
	eventuallyNoError(t, "the smaller side writes again", func() error {
		if file, err := servers[2].Read(t.Context(), "First.md", 1<<20); err == nil && strings.Contains(string(file.Data), "later\n") {
			return nil // it was only not confirmed in time
		}
		return appendLine(t, servers[2], "First.md", "later\n")
	})
	cluster.Settle(t)
	for i, s := range servers {
		file := readSettled(t, s, "First.md")
		for _, line := range []string{"first\n", "of the larger side\n", "of the smaller side\n", "later\n"} {
			if strings.Count(string(file.Data), line) != 1 || len(file.Conflicts) > 0 {
				t.Errorf("server %d sees %q and the conflicts %v", i, file.Data, file.Conflicts)
			}
		}
	}
	if strings.Contains(log.String(), "replaced") {
		t.Errorf("the database was taken for another one: %s", log.String())
	}
}

// TestClusterFeedOfAnOlderCopy lets a server's feed go on with a copy that lags behind. The note that was moved in the meantime does
// not come back.
func TestClusterFeedOfAnOlderCopy(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	begun := time.Now()
	now := func() time.Time { return begun } // the list is not compared with the older copy, however slow the machine is
	servers := openNodes(t, cluster, livesync.Options{Now: now, Couch: couch.Options{Timeout: 2 * time.Second, Sleep: shortly}})
	scanAll(t, servers[1])
	cluster.Reach(func(node, number int) bool { return number != 2 })
	base := readSettled(t, servers[0], "First.md").Rev
	if _, err := servers[0].Commit(t.Context(), []store.Change{{Op: store.Move, Path: "First.md", To: "Moved.md", Base: base}}); err != nil {
		t.Fatal(err)
	}
	eventuallyNoError(t, "the move is seen", func() error { return sees(t, servers[1], "Moved.md", "First.md") })
	cluster.Reach(func(node, number int) bool { return number == 2 })
	cluster.Database.Put(t, "other.md", map[string]any{"type": "plain", "path": "Other.md", "children": []string{}, "size": 0, "mtime": 1, "ctime": 1, "eden": map[string]any{}})
	eventuallyNoError(t, "the feed goes on", func() error { return sees(t, servers[1], "Other.md", "First.md") })
	cluster.Reach(nil)
}

// TestClusterListOfAnOlderCopy lets a server's list come from a copy that lags behind, although its feed has told of everything. The
// comparison with the database's revisions corrects the list.
func TestClusterListOfAnOlderCopy(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	var later atomic.Int64 // seconds that the clock of the server is ahead
	now := func() time.Time { return time.Now().Add(time.Duration(later.Load()) * time.Second) }
	cluster.Reach(func(_, number int) bool { return number != 2 })
	mover := openNodes(t, cluster, livesync.Options{})[0]
	base := readSettled(t, mover, "First.md").Rev
	if _, err := mover.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "First.md", To: "Moved.md", Base: base}}); err != nil {
		t.Fatal(err)
	}
	cluster.ListFrom(func(int) int { return 2 })
	s := openNodes(t, cluster, livesync.Options{Now: now})[1]
	if err := sees(t, s, "First.md", "Moved.md"); err != nil {
		t.Fatalf("the list is not that of the older copy: %v", err)
	}
	cluster.ListFrom(nil)
	eventuallyNoError(t, "the list is corrected", func() error {
		later.Add(11)
		return sees(t, s, "Moved.md", "First.md")
	})
}

// TestClusterWithoutMetadata reads the documents that describe the database from a node that lacks one of them. The database does not
// count as replaced, and writing waits until other nodes respond.
func TestClusterWithoutMetadata(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	var log syncBuffer
	s := openNodes(t, cluster, livesync.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})[2]
	readSettled(t, s, "First.md")
	cluster.DropLocal(t, 2, format.MilestoneID)
	cluster.Reach(apart)
	_, err := s.Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("text")}})
	if fault.KindOf(err) != fault.StoreUnavailable || !strings.Contains(err.Error(), "too few nodes") {
		t.Errorf("a write without the milestone: %v", err)
	}
	cluster.Reach(nil)
	eventuallyNoError(t, "the server writes again", func() error {
		_, err := s.Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("text")}})
		return err
	})
	if strings.Contains(log.String(), "replaced") {
		t.Errorf("the database was taken for another one: %s", log.String())
	}
}

// sees returns an error unless the catalogue has one file and not another.
func sees(t *testing.T, s *livesync.Store, there, gone vpath.Path) error {
	found := map[vpath.Path]bool{}
	var mu sync.Mutex
	err := s.Scan(t.Context(), func(store.Info) bool { return false }, func(file store.Found) {
		mu.Lock()
		defer mu.Unlock()
		found[file.Path] = true
	})
	if err != nil {
		return err
	}
	if !found[there] || found[gone] {
		return fmt.Errorf("the files are %v", found)
	}
	return nil
}

// syncBuffer is a buffer that goroutines share.
type syncBuffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

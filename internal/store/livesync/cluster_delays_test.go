package livesync_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/testkit/mode"
)

// TestClusterDelays lets servers create, extend, rename and trash the same note as fast as they can, while writes to single copies are
// delayed and, in every other round, nodes do not reach each other for moments. Every line that was reported as written is somewhere in
// the vault, if need be in a conflict. The long form looks for orders of writes that nobody has thought of.
func TestClusterDelays(t *testing.T) {
	t.Parallel()
	conflicts := 0
	for round := range mode.Pick(1, 1, 300) {
		if !t.Run(fmt.Sprint(round), func(t *testing.T) { conflicts += delayedRound(t, round) }) {
			break
		}
	}
	t.Logf("%d conflicts stayed", conflicts)
}

// delayedRound is a round of TestClusterDelays. It counts the conflicts that stay.
func delayedRound(t *testing.T, round int) (conflicts int) {
	race := &delayedRace{cluster: couchtest.NewSimulated(t), random: mode.Rand(uint64(round)), acknowledged: map[string]bool{}}
	device := startVault(t, race.cluster.Database, livesync.Options{})
	race.cluster.Before(race.delay)
	servers := openNodes(t, race.cluster, livesync.Options{Confirm: 5 * time.Second})
	stop := make(chan struct{})
	var all, cuts sync.WaitGroup
	if round%2 == 1 {
		cuts.Go(func() { race.cut(stop) })
	}
	for number, s := range servers {
		all.Go(func() { race.run(t, s, number) })
	}
	all.Wait()
	close(stop)
	cuts.Wait()
	race.cluster.Reach(nil)
	race.cluster.Before(nil)
	race.cluster.Settle(t)
	conflicts = resolveAll(t, openNodes(t, race.cluster, livesync.Options{})[0])
	race.cluster.Settle(t)
	device.settled(t)
	contents := fmt.Sprint(device.contents(t))
	for line := range race.acknowledged {
		if !strings.Contains(contents, line) {
			t.Errorf("%q is lost", line)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", strings.Join(race.log, "\n"), contents)
	}
	return conflicts
}

// delayedRace is what the servers of a round share.
type delayedRace struct {
	cluster *couchtest.Cluster

	mu           sync.Mutex // guards the fields below
	random       *rand.Rand
	acknowledged map[string]bool // lines
	log          []string
}

func (r *delayedRace) below(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.random.IntN(n)
}

func (r *delayedRace) note(format string, arguments ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, time.Now().Format("05.000 ")+fmt.Sprintf(format, arguments...))
}

func (r *delayedRace) delay(node, number int, ids []string) {
	if r.below(3) == 0 {
		time.Sleep(time.Duration(r.below(30)) * time.Millisecond)
	}
	if !strings.HasPrefix(ids[0], "h:") {
		r.note("node %d writes copy %d: %v", node, number, ids)
	}
}

// cut keeps two nodes, now these and now others, from reaching each other's copies.
func (r *delayedRace) cut(stop <-chan struct{}) {
	for {
		a, b := r.below(3), r.below(3)
		r.cluster.Reach(func(node, number int) bool { return a == b || node != a && node != b || number != a+b-node })
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(r.below(200)) * time.Millisecond):
		}
	}
}

// run makes four edits through a server, each repeated until it succeeds or a conflict stays.
func (r *delayedRace) run(t *testing.T, s *livesync.Store, number int) {
	names := []vpath.Path{"A.md", "B.md"}
	for round := range 4 {
		line, dice := lineOf(number, round), r.below(100)
		for range 12 {
			from := r.below(2)
			file, err := s.Read(t.Context(), names[from], 1<<20)
			if errors.Is(err, fault.NotFound) {
				from = 1 - from
				file, err = s.Read(t.Context(), names[from], 1<<20)
			}
			change, adds := store.Change{Path: names[from], Base: file.Rev, Data: append(file.Data, line...)}, true
			switch {
			case errors.Is(err, fault.NotFound):
				change = store.Change{Path: names[0], Data: []byte(line)}
			case err != nil:
				r.note("server %d cannot read: %v", number, err)
				continue
			case dice < 25:
				change, adds = store.Change{Op: store.Move, Path: names[from], To: names[1-from], Base: file.Rev}, false
			case dice < 40:
				change, adds = store.Change{Op: store.Trash, Path: names[from], Base: file.Rev}, false
			}
			r.note("server %d begins %v over %q", number, change.Op, file.Data)
			_, err = s.Commit(t.Context(), []store.Change{change})
			r.note("server %d ends %v of %q: %v", number, change.Op, change.Data, err)
			if err == nil {
				r.mu.Lock()
				if adds {
					r.acknowledged[line] = true
				}
				r.mu.Unlock()
			}
			if err == nil || errors.Is(err, store.ErrUnresolved) {
				break
			}
		}
	}
}

// resolveAll resolves all conflicts by keeping the texts of all sides.
func resolveAll(t *testing.T, s *livesync.Store) (count int) {
	t.Helper()
	conflicts, err := s.Conflicted(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, conflict := range conflicts {
		change := store.Change{Path: conflict.Path, Base: conflict.Sides[0].Rev}
		for i, side := range conflict.Sides {
			var file store.File
			if i > 0 {
				change.Resolves = append(change.Resolves, side.Rev)
				file, err = s.Branch(t.Context(), conflict.Path, side.Rev, 1<<20)
			} else {
				file, err = s.Read(t.Context(), conflict.Path, 1<<20)
			}
			if err != nil && !side.Deleted {
				t.Fatal(err)
			}
			change.Data = slices.Concat(change.Data, file.Data)
		}
		if _, err := s.Commit(t.Context(), []store.Change{change}); err != nil {
			t.Fatal(err)
		}
	}
	return len(conflicts)
}

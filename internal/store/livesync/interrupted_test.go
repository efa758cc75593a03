package livesync_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/testkit/mode"
)

// interruption is a way to interrupt a change of several documents. It gets the number of a request, counted from 1 since
// the change began.
type interruption func(request int) couchtest.Fault

// multiChange is a change of several documents, with the files of its folder before and after.
type multiChange struct {
	name     string
	old, new map[string]string
	trashed  string // the content that moves to the trash
	change   func(revs map[string]store.Rev) []store.Change
}

// multiChanges returns changes of several documents in a folder.
func multiChanges(folder string) []multiChange {
	in := func(name string) string { return folder + "/" + name }
	moved, links := map[string]string{in("Old.md"): "the note of " + folder + "\n"}, map[string]string{}
	after := map[string]string{in("New.md"): moved[in("Old.md")]}
	for i := range mode.Pick(3, 20, 20) {
		path := in(fmt.Sprintf("Link %d.md", i))
		moved[path] = fmt.Sprintf("%d links to [[%s]]\n", i, in("Old"))
		links[path] = strings.ReplaceAll(moved[path], "Old", "New")
	}
	maps.Copy(after, links)
	long := strings.Repeat("some text that is split into chunks\n", 200) + folder + "\n"
	return []multiChange{
		{"rename", moved, after, "", func(revs map[string]store.Rev) []store.Change {
			changes := []store.Change{{Op: store.Move, Path: vpath.Path(in("Old.md")), To: vpath.Path(in("New.md")), Base: revs[in("Old.md")]}}
			for path, content := range links {
				changes = append(changes, store.Change{Path: vpath.Path(path), Base: revs[path], Data: []byte(content)})
			}
			return changes
		}},
		{"trash", map[string]string{in("Gone.md"): long}, nil, long, func(revs map[string]store.Rev) []store.Change {
			return []store.Change{{Op: store.Trash, Path: vpath.Path(in("Gone.md")), Base: revs[in("Gone.md")]}}
		}},
		{"text to binary", map[string]string{in("Text.md"): long}, map[string]string{in("Text.bin"): long}, "", func(revs map[string]store.Rev) []store.Change {
			return []store.Change{{Op: store.Move, Path: vpath.Path(in("Text.md")), To: vpath.Path(in("Text.bin")), Base: revs[in("Text.md")]}}
		}},
	}
}

// TestInterrupted interrupts changes at every request that they make, and stops the server. Another server finishes or
// undoes them. The plain form tries every fourth request.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	names := []string{"plain", "encrypted and obfuscated"}[:mode.Pick(1, 1, 2)]
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInterrupted(t, sorts()[name])
			i.interruptEverywhere(t, func(at int) map[string]interruption {
				if mode.Long() {
					return map[string]interruption{"gone": cutFrom(at), "done": cutAfterRequest(at)}
				}
				if at%2 == 0 {
					return map[string]interruption{"gone": cutFrom(at)}
				}
				return map[string]interruption{"done": cutAfterRequest(at)}
			})
			i.recoverWith(t, 1)
			i.check(t)
		})
	}
}

// TestInterruptedTwice cuts the network for some requests, restores it for a few, in which the server continues or undoes
// the change, and then stops the server. Two others find the open change at the same time.
func TestInterruptedTwice(t *testing.T) {
	t.Parallel()
	i := newInterrupted(t, livesync.Options{})
	i.counts = func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "mcp-journal-")
	}
	i.interruptEverywhere(t, func(at int) map[string]interruption {
		all := map[string]interruption{}
		for back := at + 1; back <= at+2; back++ {
			for end := back + 1; end <= back+4; end++ {
				if (at+back+end)%mode.Pick(6, 3, 1) == 0 {
					all[fmt.Sprintf("back from %d to %d", back, end)] = cutBetween(at, back, end)
				}
			}
		}
		return all
	})
	i.recoverWith(t, 2)
	i.check(t)
}

// TestInterruptedAndChanged lets a device change one of the documents before another server recovers the change. What the
// device wrote stays, and all other documents are either as before or as after.
func TestInterruptedAndChanged(t *testing.T) {
	t.Parallel()
	i := newInterrupted(t, livesync.Options{})
	for range mode.Pick(1, 1, 5) {
		i.interruptEverywhere(t, func(at int) map[string]interruption {
			return map[string]interruption{fmt.Sprintf("changed %d", len(i.attempts)): cutAfterRequest(at)}
		})
	}
	i.changeOneFileEach(t)
	i.recoverWith(t, 2)
	i.check(t)
}

// TestInterruptedNetwork cuts the network for a while. The same server settles the change by itself.
func TestInterruptedNetwork(t *testing.T) {
	t.Parallel()
	options := sorts()["encrypted and obfuscated"]
	options.Patience = 100 * time.Millisecond
	i := newInterrupted(t, options)
	i.survivor = i.open(t)
	i.interruptEverywhere(t, func(at int) map[string]interruption {
		return map[string]interruption{"away": cutBetween(at, at+8, 1<<30)}
	})
	i.check(t)
}

// cutFrom cuts the network from a request on.
func cutFrom(at int) interruption {
	return func(request int) couchtest.Fault { return when(request >= at, couchtest.Reset()) }
}

// cutAfterRequest forwards a request, loses its response, and cuts the network.
func cutAfterRequest(at int) interruption { return cutBetween(at, 1<<30, 1<<30) }

// cutBetween forwards the request number at, loses its response, and cuts the network, except from the request back to
// before the request end.
func cutBetween(at, back, end int) interruption {
	return func(request int) couchtest.Fault {
		if request == at {
			return couchtest.LoseAnswer()
		}
		return when(request > at && request < back || request >= end, couchtest.Reset())
	}
}

func when(is bool, fault couchtest.Fault) couchtest.Fault {
	if is {
		return fault
	}
	return nil
}

// interrupted is a database with many interrupted changes, each in its own folder.
type interrupted struct {
	device   device
	options  livesync.Options
	survivor *server                    // a server that settles each change before the next; nil to use a new server for each
	counts   func(r *http.Request) bool // the first request that counts
	attempts []*attempt
}

// attempt is a change that was interrupted.
type attempt struct {
	unit            multiChange
	folder          string
	changedByDevice string // a path that a device has changed since, or ""
	reported        bool   // it was reported as made
}

// server is a store whose network can be interrupted.
type server struct {
	store *livesync.Store
	proxy *couchtest.Proxy
}

const byDevice = "a device was here\n"

func newInterrupted(t *testing.T, options livesync.Options) *interrupted {
	database := couchtest.New(t)
	return &interrupted{device: startVault(t, database, options), options: options, counts: isWrite}
}

// interruptEverywhere interrupts each change at its first request, at its second, and so on, until it succeeds. The plain
// form takes every fourth request.
func (i *interrupted) interruptEverywhere(t *testing.T, ways func(at int) map[string]interruption) {
	t.Helper()
	step := mode.Pick(4, 1, 1)
	for number, change := range multiChanges("count") {
		for at, through := 1+number%step, false; !through; at += step {
			if at > 60 {
				t.Fatalf("%s makes more than 60 requests", change.name)
			}
			for way, interruption := range ways(at) {
				folder := fmt.Sprintf("%s %d %s", change.name, at, way)
				attempt := &attempt{unit: multiChanges(folder)[number], folder: folder}
				i.attempts = append(i.attempts, attempt)
				through = i.interrupt(t, attempt, at, interruption)
			}
		}
	}
	t.Logf("interrupted %d changes", len(i.attempts))
}

// open starts a server, and lets it list all files.
func (i *interrupted) open(t *testing.T) *server {
	t.Helper()
	proxy := couchtest.NewProxy(t, i.device.database.URL, "")
	options := i.options
	options.Couch.Retries = -1
	s := openThrough(t, proxy, i.device.database, options)
	if _, err := s.TrashPath(t.Context(), "First.md"); err != nil { // needs the list
		t.Fatal(err)
	}
	return &server{s, proxy}
}

// interrupt makes a change and interrupts it. It reports whether the change ended before the interruption.
func (i *interrupted) interrupt(t *testing.T, attempt *attempt, at int, how interruption) (through bool) {
	t.Helper()
	s := i.survivor
	if s == nil {
		s = i.open(t)
	}
	changes := attempt.unit.change(i.device.fill(t, attempt.unit.old))
	var requests atomic.Int64
	s.proxy.Script(func(r *http.Request) couchtest.Fault {
		if strings.HasSuffix(r.URL.Path, "/_changes") {
			return when(requests.Load() >= int64(at) && i.survivor == nil, couchtest.Reset())
		}
		if requests.Load() == 0 && !i.counts(r) {
			return nil
		}
		return how(int(requests.Add(1)))
	})
	_, err := s.store.Commit(t.Context(), changes)
	attempt.reported = err == nil
	through = requests.Load() < int64(at)
	if through && err != nil {
		t.Errorf("%s: failed without an interruption: %v", attempt.folder, err)
	}
	if i.survivor != nil {
		i.checkSurvivor(t, s, attempt)
	} else if err := s.store.Close(); err != nil {
		t.Error(err)
	}
	return through
}

// checkSurvivor checks that an interrupted server settles its change by itself, and writes again.
func (i *interrupted) checkSurvivor(t *testing.T, s *server, attempt *attempt) {
	t.Helper()
	i.device.settled(t)
	eventuallyWrites(t, s.store, vpath.Path("after "+attempt.folder+".md"), "after\n")
	s.proxy.Script(nil)
}

// changeOneFileEach lets a device add a line to one file of each change.
func (i *interrupted) changeOneFileEach(t *testing.T) {
	t.Helper()
	random := mode.Rand(400)
	now := i.device.contents(t)
	for _, attempt := range i.attempts {
		var existing []string
		for path := range now {
			if strings.HasPrefix(path, attempt.folder+"/") {
				existing = append(existing, path)
			}
		}
		if len(existing) == 0 {
			continue
		}
		slices.Sort(existing)
		attempt.changedByDevice = existing[random.IntN(len(existing))]
		file, content := i.device.file(t, attempt.changedByDevice)
		if !i.device.write(t, file, attempt.changedByDevice, content+byDevice) {
			t.Fatalf("a device cannot change %s", attempt.changedByDevice)
		}
	}
}

// recoverWith starts servers, and waits until they have settled all changes.
func (i *interrupted) recoverWith(t *testing.T, servers int) {
	t.Helper()
	options := i.options
	options.Patience = 500 * time.Millisecond // each look at all journals takes a request per journal
	for range servers {
		open(t, i.device.database, options)
	}
	i.device.settled(t)
}

// check makes sure that each change was made completely, or not at all.
func (i *interrupted) check(t *testing.T) {
	t.Helper()
	all := i.device.contents(t)
	trash := map[string]int{}
	for path, content := range all {
		if format.InTrash(path) {
			trash[content]++
		}
	}
	for _, attempt := range i.attempts {
		attempt.check(t, all, trash)
	}
}

func (attempt *attempt) check(t *testing.T, all map[string]string, trash map[string]int) {
	t.Helper()
	got := map[string]string{}
	for path, content := range all {
		if strings.HasPrefix(path, attempt.folder+"/") {
			got[path] = content
		}
	}
	if attempt.changedByDevice != "" && !strings.HasSuffix(got[attempt.changedByDevice], byDevice) {
		t.Errorf("%s: the line that a device wrote to %s is lost", attempt.folder, attempt.changedByDevice)
	}
	delete(got, attempt.changedByDevice) // checked above
	asOld, asNew := difference(got, withoutPath(attempt.unit.old, attempt.changedByDevice)), difference(got, withoutPath(attempt.unit.new, attempt.changedByDevice))
	isOld, isNew := asOld == "", asNew == ""
	if attempt.unit.trashed != "" {
		isOld, isNew = isOld && trash[attempt.unit.trashed] == 0, isNew && trash[attempt.unit.trashed] == 1
	}
	switch {
	case attempt.reported && !isNew:
		t.Errorf("%s: reported as made, but %s", attempt.folder, asNew)
	case !isOld && !isNew:
		t.Errorf("%s: neither as before: %s\nnor as after: %s", attempt.folder, asOld, asNew)
	}
}

func withoutPath(files map[string]string, path string) map[string]string {
	rest := maps.Clone(files)
	delete(rest, path)
	return rest
}

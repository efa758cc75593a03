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

// interruption is a way in which a change of several documents comes to a
// stop. It is told the number of a request, from 1 on, since the change began.
type interruption func(request int) couchtest.Fault

// unitCase is a change of several documents: the files of its folder before
// and after.
type unitCase struct {
	name     string
	old, new map[string]string
	trashed  string // the content that goes to the trash
	change   func(revs map[string]store.Rev) []store.Change
}

// unitCases are changes in a folder of their own.
func unitCases(folder string) []unitCase {
	in := func(name string) string { return folder + "/" + name }
	moved, links := map[string]string{in("Old.md"): "the note of " + folder + "\n"}, map[string]string{}
	after := map[string]string{in("New.md"): moved[in("Old.md")]}
	for i := range mode.Pick(3, 20, 20) {
		path := in(fmt.Sprintf("Link %d.md", i))
		moved[path] = fmt.Sprintf("%d links to [[%s]]\n", i, in("Old"))
		links[path] = strings.ReplaceAll(moved[path], "Old", "New")
	}
	maps.Copy(after, links)
	long := strings.Repeat("some text that is cut into pieces\n", 200) + folder + "\n"
	return []unitCase{
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

// TestInterrupted: a change is interrupted at every request that it makes, and
// the server that made it is gone. Another finishes it or takes it back.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	names := []string{"plain", "encrypted and obfuscated"}[:mode.Pick(1, 1, 2)]
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInterrupted(t, sorts()[name])
			i.everywhere(t, func(at int) map[string]interruption {
				if mode.Long() {
					return map[string]interruption{"gone": goneFrom(at), "done": doneAndGone(at)}
				}
				if at%2 == 0 {
					return map[string]interruption{"gone": goneFrom(at)}
				}
				return map[string]interruption{"done": doneAndGone(at)}
			})
			i.recover(t, 1)
			i.check(t)
		})
	}
}

// TestInterruptedTwice: the network is away for some requests, comes back for
// a few, in which the server goes on or takes back, and then the server is
// gone. Two others find what it left at the same moment.
func TestInterruptedTwice(t *testing.T) {
	t.Parallel()
	i := newInterrupted(t, livesync.Options{})
	i.begins = func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "mcp-journal-")
	}
	i.everywhere(t, func(at int) map[string]interruption {
		all := map[string]interruption{}
		for back := at + 1; back <= at+2; back++ {
			for end := back + 1; end <= back+4; end++ {
				if (at+back+end)%mode.Pick(6, 3, 1) == 0 {
					all[fmt.Sprintf("back from %d to %d", back, end)] = awayAndGone(at, back, end)
				}
			}
		}
		return all
	})
	i.recover(t, 2)
	i.check(t)
}

// TestInterruptedAndChanged: before another server comes, a device has changed
// one of the documents. What it wrote stays, and all others are of one mind.
func TestInterruptedAndChanged(t *testing.T) {
	t.Parallel()
	i := newInterrupted(t, livesync.Options{})
	for range mode.Pick(1, 1, 5) {
		i.everywhere(t, func(at int) map[string]interruption {
			return map[string]interruption{fmt.Sprintf("changed %d", len(i.trials)): doneAndGone(at)}
		})
	}
	i.changeOne(t)
	i.recover(t, 2)
	i.check(t)
}

// TestInterruptedNetwork: the network fails for a while, and the same server
// makes things right by itself, without being asked.
func TestInterruptedNetwork(t *testing.T) {
	t.Parallel()
	options := sorts()["encrypted and obfuscated"]
	options.Patience = 100 * time.Millisecond
	i := newInterrupted(t, options)
	i.stays = i.open(t)
	i.everywhere(t, func(at int) map[string]interruption {
		return map[string]interruption{"away": awayAndGone(at, at+8, 1<<30)}
	})
	i.check(t)
}

// goneFrom lets nothing through from a request on.
func goneFrom(at int) interruption {
	return func(request int) couchtest.Fault { return when(request >= at, couchtest.Reset()) }
}

// doneAndGone does what a request asks, and then lets nothing through.
func doneAndGone(at int) interruption { return awayAndGone(at, 1<<30, 1<<30) }

// awayAndGone does what a request asks, and then lets nothing through but from
// one request to another.
func awayAndGone(at, back, end int) interruption {
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

// interrupted is a database in which many changes were interrupted, each in a
// folder of its own.
type interrupted struct {
	device
	options livesync.Options
	stays   *server                    // one that lives on, and settles each change before the next; nil: none does
	begins  func(r *http.Request) bool // the first request that counts
	trials  []*trial
}

// trial is one change that was interrupted.
type trial struct {
	unitCase
	how    string
	theirs string // a path that a device has changed since
	done   bool   // it was reported as made
}

// server is one whose network can be interrupted.
type server struct {
	*livesync.Store
	proxy *couchtest.Proxy
}

const byDevice = "a device was here\n"

func newInterrupted(t *testing.T, options livesync.Options) *interrupted {
	database := couchtest.New(t)
	return &interrupted{device: startVault(t, database, options), options: options, begins: isWrite}
}

// everywhere interrupts each change at its first request, at its second, and so
// on, until it gets through.
func (i *interrupted) everywhere(t *testing.T, ways func(at int) map[string]interruption) {
	t.Helper()
	step := mode.Pick(4, 1, 1)
	for number, one := range unitCases("count") {
		for at, through := 1+number%step, false; !through; at += step {
			if at > 60 {
				t.Fatalf("%s makes no end of requests", one.name)
			}
			for way, interruption := range ways(at) {
				folder := fmt.Sprintf("%s %d %s", one.name, at, way)
				made := &trial{unitCase: unitCases(folder)[number], how: folder}
				i.trials = append(i.trials, made)
				through = i.interrupt(t, made, at, interruption)
			}
		}
	}
	t.Logf("%d changes interrupted", len(i.trials))
}

// open starts a server that knows all files.
func (i *interrupted) open(t *testing.T) *server {
	t.Helper()
	proxy := couchtest.NewProxy(t, i.URL, "")
	options := i.options
	options.Couch.Retries = -1
	s := openThrough(t, proxy, i.Database, options)
	if _, err := s.TrashPath(t.Context(), "First.md"); err != nil { // for which everything is listed
		t.Fatal(err)
	}
	return &server{s, proxy}
}

// interrupt makes a change, interrupts it, and reports whether it took fewer
// requests than it takes to be interrupted.
func (i *interrupted) interrupt(t *testing.T, made *trial, at int, how interruption) (through bool) {
	t.Helper()
	s := i.stays
	if s == nil {
		s = i.open(t)
	}
	changes := made.change(i.fill(t, made.old))
	var requests atomic.Int64
	s.proxy.Script(func(r *http.Request) couchtest.Fault {
		if strings.HasSuffix(r.URL.Path, "/_changes") {
			return when(requests.Load() >= int64(at) && i.stays == nil, couchtest.Reset())
		}
		if requests.Load() == 0 && !i.begins(r) {
			return nil
		}
		return how(int(requests.Add(1)))
	})
	_, err := s.Commit(t.Context(), changes)
	made.done = err == nil
	through = requests.Load() < int64(at)
	if through && err != nil {
		t.Errorf("%s: nothing was harmed, and yet %v", made.how, err)
	}
	if i.stays != nil {
		i.afterwards(t, s, made)
	} else if err := s.Close(); err != nil {
		t.Error(err)
	}
	return through
}

// afterwards checks that a server which was interrupted settles its change by
// itself, and goes on.
func (i *interrupted) afterwards(t *testing.T, s *server, made *trial) {
	t.Helper()
	i.settled(t)
	path := vpath.Path("after " + made.how + ".md")
	eventuallyNoError(t, "the server writes again", func() error {
		_, err := s.Commit(t.Context(), []store.Change{{Path: path, Data: []byte("after\n")}})
		return err
	})
	s.proxy.Script(nil)
}

// changeOne lets a device add a line to one file of each change.
func (i *interrupted) changeOne(t *testing.T) {
	t.Helper()
	random := mode.Rand(400)
	now := i.contents(t)
	for _, one := range i.trials {
		var there []string
		for path := range now {
			if strings.HasPrefix(path, one.how+"/") {
				there = append(there, path)
			}
		}
		if len(there) == 0 {
			continue
		}
		slices.Sort(there)
		one.theirs = there[random.IntN(len(there))]
		file, content := i.file(t, one.theirs)
		if !i.write(t, file, one.theirs, content+byDevice) {
			t.Fatalf("%s could not be changed", one.theirs)
		}
	}
}

// recover lets other servers find what was left.
func (i *interrupted) recover(t *testing.T, servers int) {
	t.Helper()
	options := i.options
	options.Patience = 500 * time.Millisecond // each look at all journals takes a request per journal
	for range servers {
		open(t, i.Database, options)
	}
	i.settled(t)
}

// check makes sure that each change was made, or was not.
func (i *interrupted) check(t *testing.T) {
	t.Helper()
	all := i.contents(t)
	trash := map[string]int{}
	for path, content := range all {
		if format.InTrash(path) {
			trash[content]++
		}
	}
	for _, one := range i.trials {
		one.check(t, all, trash)
	}
}

func (one *trial) check(t *testing.T, all map[string]string, trash map[string]int) {
	t.Helper()
	got := map[string]string{}
	for path, content := range all {
		if strings.HasPrefix(path, one.how+"/") {
			got[path] = content
		}
	}
	if one.theirs != "" && !strings.HasSuffix(got[one.theirs], byDevice) {
		t.Errorf("%s: what a device wrote to %s is gone", one.how, one.theirs)
	}
	delete(got, one.theirs) // which is as they want it
	asOld, asNew := difference(got, without(one.old, one.theirs)), difference(got, without(one.new, one.theirs))
	isOld, isNew := asOld == "", asNew == ""
	if one.trashed != "" {
		isOld, isNew = isOld && trash[one.trashed] == 0, isNew && trash[one.trashed] == 1
	}
	switch {
	case one.done && !isNew:
		t.Errorf("%s: it was made, and yet %s", one.how, asNew)
	case !isOld && !isNew:
		t.Errorf("%s is neither as before: %s\nnor as after: %s", one.how, asOld, asNew)
	}
}

func without(files map[string]string, path string) map[string]string {
	rest := maps.Clone(files)
	delete(rest, path)
	return rest
}

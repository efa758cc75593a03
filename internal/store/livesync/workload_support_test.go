package livesync_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/testkit/mode"
)

// workload is a vault that is worked with, and what must be in it.
type workload struct {
	device
	proxy    *couchtest.Proxy
	store    *livesync.Store
	random   *rand.Rand
	mischief *mischief
	failures int
	counter  int

	now    vaultState
	doubts []doubt

	mu   sync.Mutex                 // guards ever
	ever map[string]map[string]bool // all contents that each file was ever to have
}

// vaultState is the files by their paths, and what the trash holds.
type vaultState struct {
	files map[string]string
	trash map[string]bool
}

// doubt is a change that failed: it was made, or not.
type doubt struct {
	old, new map[string]string // the files that it is about; those that are absent have no content
	trashed  string
	why      error
}

const steadyNotes = 5 // that nobody touches

func newWorkload(t *testing.T, options livesync.Options, seed uint64) *workload {
	database := couchtest.New(t)
	w := &workload{
		random: mode.Rand(100 + seed), ever: map[string]map[string]bool{},
		now:      vaultState{map[string]string{"First.md": "first\n"}, map[string]bool{}},
		mischief: &mischief{random: mode.Rand(200 + seed)},
	}
	w.device = startVault(t, database, options)
	for i := range mode.Pick(20, 60, 60) {
		w.now.files[fmt.Sprintf("Notes %d/%d.md", i%4, i)] = w.text(i)
	}
	for i := range steadyNotes {
		w.now.files[fmt.Sprintf("Steady/%d.md", i)] = w.text(i)
	}
	w.fill(t, without(w.now.files, "First.md"))
	for path, content := range w.now.files {
		w.remember(path, content)
	}
	w.proxy = couchtest.NewProxy(t, database.URL, "")
	options.Couch = couch.Options{Timeout: 400 * time.Millisecond, Total: 3 * time.Second, Retries: 2, MaxAnswer: 8 << 20}
	w.store = openThrough(t, w.proxy, database, options)
	eventuallyNoError(t, "the store connects", func() error { return w.store.Probe(t.Context()) })
	return w
}

// text is the content of a note. Every tenth is long, and those share most of
// their chunks.
func (w *workload) text(i int) string {
	w.counter++
	own := fmt.Sprintf("note %d, text %d\n", i, w.counter)
	if i%10 == 0 {
		return strings.Repeat("what long notes have in common: ", 3) + sharedText() + own
	}
	return strings.Repeat(own, 1+i) + own
}

var sharedText = sync.OnceValue(func() string {
	random := mode.Rand(300)
	var text strings.Builder
	for text.Len() < mode.Pick(30_000, 110_000, 110_000) {
		fmt.Fprintf(&text, "line %x\n", random.Uint64())
	}
	return text.String()
})

func (w *workload) remember(path, content string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ever[path] == nil {
		w.ever[path] = map[string]bool{}
	}
	w.ever[path][content] = true
}

// stretch works for a while under faults, with somebody else who scans at the
// same time, and gives the number of commits.
func (w *workload) stretch(t *testing.T) (commits int) {
	w.proxy.Script(w.mischief.decide)
	ctx, cancel := context.WithCancel(t.Context())
	var others sync.WaitGroup
	others.Go(func() {
		for ctx.Err() == nil {
			w.scan(t, ctx)
			_ = shortly(ctx, 10*time.Second)
		}
	})
	for range mode.Pick(20, 40, 40) {
		commits += w.step(t)
	}
	cancel()
	others.Wait()
	w.proxy.Script(nil)
	return commits
}

// step does one thing, and gives the number of commits that it took.
func (w *workload) step(t *testing.T) int {
	path := w.pick()
	content := w.now.files[path]
	file, err := w.store.Read(t.Context(), vpath.Path(path), 1<<30)
	if err != nil {
		w.checkKind(t, "reading", path, err)
		return 0
	}
	if string(file.Data) != content {
		t.Errorf("%s is read as %s, and is %s", path, brief(string(file.Data)), brief(content))
		return 0
	}
	w.counter++
	line := fmt.Sprintf("change %d\n", w.counter)
	change := store.Change{Path: vpath.Path(path), Base: file.Rev}
	switch dice := w.random.IntN(100); {
	case dice < 15:
		made := fmt.Sprintf("Made/%d.md", w.counter)
		w.commit(t, doubt{old: map[string]string{made: ""}, new: map[string]string{made: line}}, store.Change{Path: vpath.Path(made), Data: []byte(line)})
	case dice < 40:
		at := w.random.IntN(len(content))
		for at > 0 && content[at-1] != '\n' {
			at--
		}
		w.write(t, change, content[:at]+line+content[at:])
	case dice < 60:
		w.write(t, change, content+line)
	case dice < 80:
		w.rename(t, change, content)
	case dice < 88:
		w.commit(t, doubt{old: map[string]string{path: content}, new: map[string]string{path: ""}, trashed: content}, store.Change{Op: store.Trash, Path: change.Path, Base: file.Rev})
	case dice < 95:
		w.look(t, path, content)
		return 0
	default:
		_, err := w.store.TrashPath(t.Context(), change.Path)
		w.checkKind(t, "asking for the place in the trash of", path, err)
		return 0
	}
	return 1
}

// pick is a file that nobody doubts, and that may be touched.
func (w *workload) pick() string {
	var all []string
	for path := range w.now.files {
		doubted := slices.ContainsFunc(w.doubts, func(d doubt) bool { _, is := d.old[path]; return is })
		if !doubted && !strings.HasPrefix(path, "Steady/") {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all[w.random.IntN(len(all))]
}

func (w *workload) write(t *testing.T, change store.Change, content string) {
	path := string(change.Path)
	change.Data = []byte(content)
	w.commit(t, doubt{old: map[string]string{path: w.now.files[path]}, new: map[string]string{path: content}}, change)
}

// rename gives a note another name, now and then of another kind, and changes
// notes that link to it.
func (w *workload) rename(t *testing.T, change store.Change, content string) {
	w.counter++
	path := string(change.Path)
	change.Op, change.To = store.Move, vpath.Path(fmt.Sprintf("Renamed/%d%s", w.counter, []string{".md", ".md", ".bin"}[w.random.IntN(3)]))
	if w.random.IntN(2) == 0 {
		content += "renamed\n"
		change.Data = []byte(content)
	}
	about := doubt{old: map[string]string{path: w.now.files[path], string(change.To): ""}, new: map[string]string{path: "", string(change.To): content}}
	changes := []store.Change{change}
	for range w.random.IntN(6) {
		linking := w.pick()
		if _, is := about.old[linking]; is {
			continue
		}
		file, err := w.store.Read(t.Context(), vpath.Path(linking), 1<<30)
		if err != nil {
			w.checkKind(t, "reading", linking, err)
			continue
		}
		about.old[linking], about.new[linking] = w.now.files[linking], w.now.files[linking]+fmt.Sprintf("links to [[%s]]\n", change.To)
		changes = append(changes, store.Change{Path: vpath.Path(linking), Base: file.Rev, Data: []byte(about.new[linking])})
	}
	w.commit(t, about, changes...)
}

// commit makes a change, of which it is told what it is to do.
func (w *workload) commit(t *testing.T, about doubt, changes ...store.Change) {
	for path, content := range about.new {
		w.remember(path, content)
	}
	if _, err := w.store.Commit(t.Context(), changes); err != nil {
		w.failures++
		w.checkKind(t, "changing", string(changes[0].Path), err)
		about.why = err
		w.doubts = append(w.doubts, about)
		return
	}
	w.now.apply(about)
}

func (v vaultState) apply(change doubt) {
	for path, content := range change.new {
		if v.files[path] = content; content == "" {
			delete(v.files, path)
		}
	}
	if change.trashed != "" {
		v.trash[change.trashed] = true
	}
}

// look asks about a file without reading it.
func (w *workload) look(t *testing.T, path, content string) {
	info, err := w.store.Stat(t.Context(), vpath.Path(path))
	if err != nil {
		w.checkKind(t, "asking about", path, err)
	} else if info.Size != int64(len(content)) {
		t.Errorf("%s is said to have %d bytes, and has %d", path, info.Size, len(content))
	}
}

// scan makes sure that a scan which succeeds shows nothing that never was, and
// takes nothing for gone.
func (w *workload) scan(t *testing.T, ctx context.Context) {
	var mu sync.Mutex
	steady := 0
	err := w.store.Scan(ctx, func(store.Info) bool { return true }, func(one store.Found) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(string(one.Path), "Steady/") {
			steady++
		}
		w.checkFound(t, one)
	})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		w.checkKind(t, "scanning", "", err)
	case steady != steadyNotes:
		t.Errorf("a scan shows %d of %d notes that nobody has touched", steady, steadyNotes)
	}
}

func (w *workload) checkFound(t *testing.T, one store.Found) {
	if one.Folder {
		return
	}
	if one.Err != nil {
		w.checkKind(t, "scanning", string(one.Path), one.Err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ever[string(one.Path)][string(one.Data)] {
		t.Errorf("a scan shows %s as %s, which it never was", one.Path, brief(string(one.Data)))
	}
}

// checkKind makes sure that an error says that the database is the trouble.
// Only what is said to be too large is the caller's.
func (w *workload) checkKind(t *testing.T, what, path string, err error) {
	t.Helper()
	kind := fault.KindOf(err)
	switch {
	case err == nil, kind == fault.StoreUnavailable, kind == fault.Conflict, kind == fault.Timeout, kind == fault.PermissionDenied:
	case kind == fault.InvalidArgument && strings.Contains(err.Error(), "too large for CouchDB"):
	default:
		t.Errorf("%s %s: %s: %v", what, path, kind.Code(), err)
	}
}

// checkpoint waits, without faults, until all is settled, and compares the
// database with what must be in it, and the store with the database.
func (w *workload) checkpoint(t *testing.T) {
	t.Helper()
	w.counter++
	path, content := fmt.Sprintf("Checkpoints/%d.md", w.counter), fmt.Sprintf("checkpoint %d\n", w.counter) // the trash is judged by contents
	w.remember(path, content)
	eventuallyNoError(t, "the store writes again", func() error {
		_, err := w.store.Commit(t.Context(), []store.Change{{Path: vpath.Path(path), Data: []byte(content)}})
		if errors.Is(err, fault.AlreadyExists) {
			return nil
		}
		return err
	})
	w.now.files[path] = content
	w.settled(t)
	there := w.contents(t)
	for _, one := range w.doubts {
		w.resolve(t, one, there)
	}
	w.doubts = nil
	w.compare(t, there)
	eventuallyNoError(t, "the store shows what the database holds", func() error {
		seen, err := scanned(t.Context(), w.store)
		if err == nil && !maps.Equal(seen, w.now.files) {
			err = errors.New(difference(seen, w.now.files))
		}
		return err
	})
}

// resolve finds out which it was of a change that failed. Only where nobody
// knew may it have been made.
func (w *workload) resolve(t *testing.T, one doubt, there map[string]string) {
	t.Helper()
	is := map[string]string{}
	for path := range one.old {
		is[path] = there[path]
	}
	switch {
	case maps.Equal(is, one.old):
	case !maps.Equal(is, one.new):
		t.Errorf("a change that failed (%v) was made in part: %s\nwhere it was to be %s", one.why, difference(is, one.old), difference(is, one.new))
	case !errors.Is(one.why, couch.ErrLostAnswer):
		t.Errorf("a change that failed (%v) was made all the same: %s", one.why, difference(is, one.old))
	default:
		w.now.apply(one)
	}
}

// compare compares the database with what must be in it.
func (w *workload) compare(t *testing.T, there map[string]string) {
	t.Helper()
	files, trash := map[string]string{}, map[string]bool{}
	for path, content := range there {
		if !format.InTrash(path) {
			files[path] = content
			continue
		}
		if trash[content] {
			t.Errorf("%s is in the trash twice", path)
		}
		trash[content] = true
	}
	if wrong := difference(files, w.now.files); wrong != "" {
		t.Errorf("the database is not as it must be: %s", wrong)
	}
	if !maps.Equal(trash, w.now.trash) {
		t.Errorf("the trash holds %d files, not %d, or others", len(trash), len(w.now.trash))
	}
}

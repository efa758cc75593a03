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

// workload is a vault under work, with its expected contents.
type workload struct {
	device   device
	proxy    *couchtest.Proxy
	store    *livesync.Store
	random   *rand.Rand
	injector *faultInjector
	failures int
	counter  int

	expected  vaultState
	uncertain []uncertainChange

	mu           sync.Mutex                 // guards everContents
	everContents map[string]map[string]bool // all contents that each file has ever had or should have had
}

// vaultState holds the contents of all files by path, and the contents in the trash.
type vaultState struct {
	files map[string]string
	trash map[string]bool
}

// uncertainChange is a change that failed, and may or may not have been made.
type uncertainChange struct {
	old, new map[string]string // the affected files; a missing file has no content
	trashed  string
	why      error
}

const steadyNotes = 5 // that are never changed

func newWorkload(t *testing.T, options livesync.Options, seed uint64) *workload {
	database := couchtest.New(t)
	w := &workload{
		random: mode.Rand(100 + seed), everContents: map[string]map[string]bool{},
		expected: vaultState{map[string]string{"First.md": "first\n"}, map[string]bool{}},
		injector: &faultInjector{random: mode.Rand(200 + seed)},
	}
	w.device = startVault(t, database, options)
	for i := range mode.Pick(20, 60, 60) {
		w.expected.files[fmt.Sprintf("Notes %d/%d.md", i%4, i)] = w.text(i)
	}
	for i := range steadyNotes {
		w.expected.files[fmt.Sprintf("Steady/%d.md", i)] = w.text(i)
	}
	w.device.fill(t, withoutPath(w.expected.files, "First.md"))
	for path, content := range w.expected.files {
		w.remember(path, content)
	}
	w.proxy = couchtest.NewProxy(t, database.URL, "")
	options.Couch = couch.Options{Timeout: 400 * time.Millisecond, Total: 3 * time.Second, Retries: 2, MaxAnswer: 8 << 20}
	w.store = openThrough(t, w.proxy, database, options)
	eventuallyNoError(t, "the store connects", func() error { return w.store.Probe(t.Context()) })
	return w
}

// text makes the content of a note. Every tenth note is long; the long ones share most of their chunks.
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
	if w.everContents[path] == nil {
		w.everContents[path] = map[string]bool{}
	}
	w.everContents[path][content] = true
}

// workUnderFaults works for a while under faults, and scans at the same time. It returns the number of commits.
func (w *workload) workUnderFaults(t *testing.T) (commits int) {
	w.proxy.Script(w.injector.decide)
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

// step makes one random call, and returns the number of commits.
func (w *workload) step(t *testing.T) int {
	path := w.pick()
	content := w.expected.files[path]
	file, err := w.store.Read(t.Context(), vpath.Path(path), 1<<30)
	if err != nil {
		w.checkKind(t, "reading", path, err)
		return 0
	}
	if string(file.Data) != content {
		t.Errorf("reading %s: got %s, want %s", path, summary(string(file.Data)), summary(content))
		return 0
	}
	w.counter++
	line := fmt.Sprintf("change %d\n", w.counter)
	change := store.Change{Path: vpath.Path(path), Base: file.Rev}
	switch dice := w.random.IntN(100); {
	case dice < 15:
		made := fmt.Sprintf("Made/%d.md", w.counter)
		w.commit(t, uncertainChange{old: map[string]string{made: ""}, new: map[string]string{made: line}}, store.Change{Path: vpath.Path(made), Data: []byte(line)})
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
		w.commit(t, uncertainChange{old: map[string]string{path: content}, new: map[string]string{path: ""}, trashed: content}, store.Change{Op: store.Trash, Path: change.Path, Base: file.Rev})
	case dice < 95:
		w.look(t, path, content)
		return 0
	default:
		_, err := w.store.TrashPath(t.Context(), change.Path)
		w.checkKind(t, "TrashPath of", path, err)
		return 0
	}
	return 1
}

// pick chooses a file that may be changed and whose content is certain.
func (w *workload) pick() string {
	var all []string
	for path := range w.expected.files {
		doubted := slices.ContainsFunc(w.uncertain, func(d uncertainChange) bool { _, is := d.old[path]; return is })
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
	w.commit(t, uncertainChange{old: map[string]string{path: w.expected.files[path]}, new: map[string]string{path: content}}, change)
}

// rename renames a note, sometimes to another kind of file, and changes notes that link to it.
func (w *workload) rename(t *testing.T, change store.Change, content string) {
	w.counter++
	path := string(change.Path)
	change.Op, change.To = store.Move, vpath.Path(fmt.Sprintf("Renamed/%d%s", w.counter, []string{".md", ".md", ".bin"}[w.random.IntN(3)]))
	if w.random.IntN(2) == 0 {
		content += "renamed\n"
		change.Data = []byte(content)
	}
	about := uncertainChange{old: map[string]string{path: w.expected.files[path], string(change.To): ""}, new: map[string]string{path: "", string(change.To): content}}
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
		about.old[linking], about.new[linking] = w.expected.files[linking], w.expected.files[linking]+fmt.Sprintf("links to [[%s]]\n", change.To)
		changes = append(changes, store.Change{Path: vpath.Path(linking), Base: file.Rev, Data: []byte(about.new[linking])})
	}
	w.commit(t, about, changes...)
}

// commit makes a change whose effect is about.
func (w *workload) commit(t *testing.T, about uncertainChange, changes ...store.Change) {
	for path, content := range about.new {
		w.remember(path, content)
	}
	if _, err := w.store.Commit(t.Context(), changes); err != nil {
		w.failures++
		w.checkKind(t, "changing", string(changes[0].Path), err)
		about.why = err
		w.uncertain = append(w.uncertain, about)
		return
	}
	w.expected.apply(about)
}

func (v vaultState) apply(change uncertainChange) {
	for path, content := range change.new {
		if v.files[path] = content; content == "" {
			delete(v.files, path)
		}
	}
	if change.trashed != "" {
		v.trash[change.trashed] = true
	}
}

// look calls Stat.
func (w *workload) look(t *testing.T, path, content string) {
	info, err := w.store.Stat(t.Context(), vpath.Path(path))
	if err != nil {
		w.checkKind(t, "Stat of", path, err)
	} else if info.Size != int64(len(content)) {
		t.Errorf("Stat of %s: %d bytes, want %d", path, info.Size, len(content))
	}
}

// scan makes sure that a successful scan finds no contents that never existed, and misses no file.
func (w *workload) scan(t *testing.T, ctx context.Context) {
	var mu sync.Mutex
	steady := 0
	err := w.store.Scan(ctx, func(store.Info) bool { return true }, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(string(found.Path), "Steady/") {
			steady++
		}
		w.checkFound(t, found)
	})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		w.checkKind(t, "scanning", "", err)
	case steady != steadyNotes:
		t.Errorf("a scan finds %d of %d notes that never changed", steady, steadyNotes)
	}
}

func (w *workload) checkFound(t *testing.T, found store.Found) {
	if found.Folder {
		return
	}
	if found.Err != nil {
		w.checkKind(t, "scanning", string(found.Path), found.Err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.everContents[string(found.Path)][string(found.Data)] {
		t.Errorf("a scan finds %s with %s, which it never had", found.Path, summary(string(found.Data)))
	}
}

// checkKind makes sure that an error blames the database. The only exception is that something is too large.
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

// checkpoint waits, without faults, until all changes are settled. Then it compares the database with its expected
// contents, and the store with the database.
func (w *workload) checkpoint(t *testing.T) {
	t.Helper()
	w.counter++
	path, content := fmt.Sprintf("Checkpoints/%d.md", w.counter), fmt.Sprintf("checkpoint %d\n", w.counter) // unique, because the trash is compared by contents
	w.remember(path, content)
	eventuallyNoError(t, "the store writes again", func() error {
		_, err := w.store.Commit(t.Context(), []store.Change{{Path: vpath.Path(path), Data: []byte(content)}})
		if errors.Is(err, fault.AlreadyExists) {
			return nil
		}
		return err
	})
	w.expected.files[path] = content
	w.device.settled(t)
	found := w.device.contents(t)
	for _, d := range w.uncertain {
		w.resolve(t, d, found)
	}
	w.uncertain = nil
	w.compare(t, found)
	eventuallyNoError(t, "the store has the same files as the database", func() error {
		files, err := scanned(t.Context(), w.store)
		if err == nil && !maps.Equal(files, w.expected.files) {
			err = errors.New(difference(files, w.expected.files))
		}
		return err
	})
}

// resolve finds out whether a failed change was made. That is allowed only if its outcome was reported as unknown.
func (w *workload) resolve(t *testing.T, d uncertainChange, found map[string]string) {
	t.Helper()
	is := map[string]string{}
	for path := range d.old {
		is[path] = found[path]
	}
	switch {
	case maps.Equal(is, d.old):
	case !maps.Equal(is, d.new):
		t.Errorf("a failed change (%v) was made in part: %s\nwant %s", d.why, difference(is, d.old), difference(is, d.new))
	case !errors.Is(d.why, couch.ErrLostAnswer):
		t.Errorf("a failed change (%v) was made: %s", d.why, difference(is, d.old))
	default:
		w.expected.apply(d)
	}
}

// compare compares the database with its expected contents.
func (w *workload) compare(t *testing.T, found map[string]string) {
	t.Helper()
	files, trash := map[string]string{}, map[string]bool{}
	for path, content := range found {
		if !format.InTrash(path) {
			files[path] = content
			continue
		}
		if trash[content] {
			t.Errorf("%s is in the trash twice", path)
		}
		trash[content] = true
	}
	if wrong := difference(files, w.expected.files); wrong != "" {
		t.Errorf("the database has wrong contents: %s", wrong)
	}
	if !maps.Equal(trash, w.expected.trash) {
		t.Errorf("the trash has %d files, want %d, or others", len(trash), len(w.expected.trash))
	}
}

package vault

import (
	"context"
	"sync"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// Changed lists files that changed.
type Changed struct {
	Paths  []vpath.Path // new, updated or removed; each once, unordered
	Listed bool         // whether any of them is new or removed
}

// settleTime is how long changes are collected before they are reported: an
// editor's save or a checkout is one change but many events.
const settleTime = 50 * time.Millisecond

// Changes reports changes to open files from now on, no matter who makes them,
// until ctx ends; then it closes the channel. A slow reader blocks nobody: changes
// are collected until it reads again.
func (w *View) Changes(ctx context.Context) <-chan Changed {
	listener := &changeListener{open: w.scope.Open, paths: map[vpath.Path]bool{}, news: make(chan struct{}, 1)}
	w.vault.publishing.Lock() // a change that is being published must not be missed
	w.vault.listeners.add(listener)
	w.vault.publishing.Unlock()
	out := make(chan Changed)
	go func() {
		defer close(out)
		defer w.vault.listeners.remove(listener)
		listener.deliver(ctx, out)
	}()
	return out
}

// changedBy lists the files whose contents or existence a change affects. It returns nil if there are no listeners.
func (v *Vault) changedBy(before *index.Snapshot, change index.Change) []changedFile {
	if v.listeners.empty() {
		return nil
	}
	files := make([]changedFile, 0, len(change.Removed)+len(change.Updated))
	for _, path := range change.Removed {
		if before.Has(path) {
			files = append(files, changedFile{path, true})
		}
	}
	for _, entry := range change.Updated {
		if before.Holds(entry) {
			continue // touched, but not changed
		}
		files = append(files, changedFile{entry.Path, !before.Has(entry.Path)})
	}
	return files
}

// changedFile is a file that changed.
type changedFile struct {
	path   vpath.Path
	listed bool // it is new or removed
}

// changeListeners is the set of listeners. The zero value is empty.
type changeListeners struct {
	mu  sync.Mutex // guards all
	all map[*changeListener]bool
}

func (l *changeListeners) empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all) == 0
}

func (l *changeListeners) add(listener *changeListener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*changeListener]bool{}
	}
	l.all[listener] = true
}

func (l *changeListeners) remove(listener *changeListener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, listener)
}

func (l *changeListeners) notify(files []changedFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for listener := range l.all {
		listener.collect(files)
	}
}

// changeListener collects changes until its reader takes them.
type changeListener struct {
	open func(vpath.Path) bool // which files its reader may see
	news chan struct{}         // not empty if anything was collected

	mu     sync.Mutex // guards the fields below
	paths  map[vpath.Path]bool
	listed bool
}

func (l *changeListener) collect(files []changedFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, file := range files {
		if l.open(file.path) {
			l.paths[file.path] = true
			l.listed = l.listed || file.listed
		}
	}
	if len(l.paths) == 0 {
		return
	}
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// deliver sends what was collected whenever it has settled, until ctx ends.
func (l *changeListener) deliver(ctx context.Context, out chan<- Changed) {
	for {
		select {
		case <-l.news:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(settleTime):
		case <-ctx.Done():
			return
		}
		select {
		case out <- l.take():
		case <-ctx.Done():
			return
		}
	}
}

// take returns what was collected and starts over.
func (l *changeListener) take() Changed {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.news:
	default:
	}
	changed := Changed{Paths: make([]vpath.Path, 0, len(l.paths)), Listed: l.listed}
	for path := range l.paths {
		changed.Paths = append(changed.Paths, path)
	}
	clear(l.paths)
	l.listed = false
	return changed
}

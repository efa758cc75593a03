package vault

import (
	"context"
	"sync"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// Changed tells which files are not what they were.
type Changed struct {
	Paths  []vpath.Path // new, updated or removed; each once, in no order
	Listed bool         // whether any of them came or went
}

// settleTime is how long changes are collected before they are told: an
// editor's save, or a checkout, is many events and one change.
const settleTime = 50 * time.Millisecond

// Changes tells what changes among the open files from now on, whoever does
// it, until ctx ends; then the channel is closed. A reader who takes his time
// holds nobody up: what happens meanwhile is collected for him.
func (w *View) Changes(ctx context.Context) <-chan Changed {
	listener := &changeListener{open: w.scope.Open, paths: map[vpath.Path]bool{}, news: make(chan struct{}, 1)}
	w.vault.listeners.add(listener)
	out := make(chan Changed)
	go func() {
		defer close(out)
		defer w.vault.listeners.remove(listener)
		listener.tell(ctx, out)
	}()
	return out
}

// announce tells the listeners of a change to a snapshot.
func (v *Vault) announce(before *index.Snapshot, change index.Change) {
	if v.listeners.none() {
		return
	}
	files := make([]changedFile, 0, len(change.Removed)+len(change.Updated))
	for _, path := range change.Removed {
		if before.Has(path) {
			files = append(files, changedFile{path, true})
		}
	}
	for _, entry := range change.Updated {
		old := before.Entry(entry.Path)
		if old != nil && entry.Hash() != "" && old.Hash() == entry.Hash() {
			continue // touched, but the same
		}
		files = append(files, changedFile{entry.Path, old == nil})
	}
	if len(files) > 0 {
		v.listeners.tell(files)
	}
}

// changedFile is a file that is not what it was.
type changedFile struct {
	path   vpath.Path
	listed bool // it came or went
}

// changeListeners are those who want to know of changes. The zero value has
// none.
type changeListeners struct {
	mu  sync.Mutex // guards all
	all map[*changeListener]bool
}

func (l *changeListeners) none() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all) == 0
}

func (l *changeListeners) add(one *changeListener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*changeListener]bool{}
	}
	l.all[one] = true
}

func (l *changeListeners) remove(one *changeListener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, one)
}

func (l *changeListeners) tell(files []changedFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for one := range l.all {
		one.note(files)
	}
}

// changeListener collects what its reader has not been told yet.
type changeListener struct {
	open func(vpath.Path) bool // of which files it may be told
	news chan struct{}         // holds one when there is something to tell

	mu     sync.Mutex // guards what follows
	paths  map[vpath.Path]bool
	listed bool
}

func (l *changeListener) note(files []changedFile) {
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

// tell hands over what was collected whenever it has settled, until ctx ends.
func (l *changeListener) tell(ctx context.Context, out chan<- Changed) {
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

// take empties the collection.
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

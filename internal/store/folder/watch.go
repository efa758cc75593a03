package folder

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Events in quick succession are reported together: when none has come for a while, but not later than patience after the
// first. A program that saves a file is done in no time; one that changes many takes longer between them.
const (
	brief    = 4 * time.Millisecond
	quiet    = 40 * time.Millisecond
	patience = 200 * time.Millisecond
	handful  = 8 // more changed files than this are many
)

// Watch implements store.Store. Where the system does not report changes (a network mount, too many folders), Watch asks
// for a scan at regular intervals.
func (f *Folder) Watch(ctx context.Context) <-chan store.Event {
	events := make(chan store.Event)
	go func() {
		defer close(events)
		if kind := remoteType(f.dir); kind != "" || f.poll > 0 {
			f.log.Info("watching by polling", "filesystem", kind)
			f.pollLoop(ctx, events, func() bool { return false })
			return
		}
		for ctx.Err() == nil {
			err := f.watchOnce(ctx, events)
			if ctx.Err() != nil {
				return
			}
			f.log.Warn("cannot watch the vault, polling instead", "reason", stripPath(err).Error())
			f.pollLoop(ctx, events, func() bool { return errors.Is(err, errRootMoved) && f.checkReachable() == nil })
		}
	}()
	return events
}

// errRootMoved means that the vault's own folder is not at its path any more.
var errRootMoved = errors.New("the vault's folder was moved or removed")

// watchOnce reports changes until watching fails.
func (f *Folder) watchOnce(ctx context.Context, events chan<- store.Event) error {
	watcher, err := newNotifier(f.dir)
	if err != nil {
		return err
	}
	defer watcher.close()
	w := &watch{vault: f, watcher: watcher, out: events}
	return w.run(ctx)
}

// pollLoop asks for a scan at regular intervals, until done returns true.
func (f *Folder) pollLoop(ctx context.Context, events chan<- store.Event, done func() bool) {
	ticker := time.NewTicker(cmp.Or(f.poll, f.fallbackPoll))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if !send(ctx, events, store.Event{All: true}) || done() {
				return
			}
		}
	}
}

func send(ctx context.Context, events chan<- store.Event, event store.Event) bool {
	select {
	case events <- event:
		return true
	case <-ctx.Done():
		return false
	}
}

// notifier reports changes as the system sees them.
type notifier struct {
	events      <-chan fsnotify.Event
	errors      chan error
	add, remove func(dir string) error // watch a folder and stop watching it, where that is not covered by the folder above
	close       func() error
}

// watch watches all folders, also those that are made later.
type watch struct {
	vault   *Folder
	watcher *notifier
	out     chan<- store.Event
	folders map[string]struct{} // those being watched
	changed map[vpath.Path]struct{}
	all     bool
	since   time.Time // when the first of the collected changes was seen
	waited  bool      // a file was empty, and more of it was waited for
}

// run reports changes until ctx ends or watching fails.
func (w *watch) run(ctx context.Context) error {
	w.changed, w.folders = map[vpath.Path]struct{}{}, map[string]struct{}{}
	if err := w.add(w.vault.dir, false); err != nil {
		return err
	}
	// A scan finds the changes made while the watches were being set up.
	if !send(ctx, w.out, store.Event{All: true}) {
		return nil
	}
	timer := time.NewTimer(0)
	<-timer.C
	for {
		select {
		case <-ctx.Done():
			return nil
		case event := <-w.watcher.events:
			if err := w.note(event); err != nil {
				return err
			}
		case err := <-w.watcher.errors:
			w.vault.log.Debug("watching", "error", err.Error())
			w.all = true // events were lost, perhaps those of new folders
			if err := w.add(w.vault.dir, false); err != nil {
				return err
			}
		case <-timer.C:
			if !w.waited && w.isBeingWritten(ctx) {
				w.waited = true
				timer.Reset(quiet)
				continue
			}
			if !w.flush(ctx) {
				return nil
			}
			continue
		}
		if len(w.changed) == 0 && !w.all {
			continue
		}
		if w.since.IsZero() {
			w.since = time.Now()
		}
		pause := brief
		if len(w.changed) > handful || w.all || w.waited {
			pause = quiet
		}
		timer.Reset(min(pause, max(0, patience-time.Since(w.since))))
	}
}

// isBeingWritten reports whether one of a few changed files is empty: many programs empty a file and then write it.
func (w *watch) isBeingWritten(ctx context.Context) bool {
	if len(w.changed) > handful {
		return false
	}
	for path := range w.changed {
		if info, err := w.vault.Stat(ctx, path); err == nil && !info.Folder && info.Size == 0 {
			return true
		}
	}
	return false
}

// add watches a folder and those below it. If the folder is new, its files are reported. A folder that we may not read
// is skipped; if its mode changes, there is an event for it in the folder above.
func (w *watch) add(dir string, isNew bool) error {
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed meanwhile, or unreadable
		}
		if name != w.vault.dir && strings.HasPrefix(entry.Name(), ".") {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			switch err := w.watcher.add(name); {
			case errors.Is(err, fs.ErrPermission) && name != w.vault.dir:
				return fs.SkipDir
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				return err
			}
			w.folders[name] = struct{}{}
		}
		if isNew {
			w.collect(name)
		}
		return nil
	})
}

// note handles one event of the system.
func (w *watch) note(event fsnotify.Event) error {
	if event.Has(fsnotify.Rename) || event.Has(fsnotify.Remove) {
		if event.Name == w.vault.dir {
			return errRootMoved
		}
		w.leave(event.Name)
	}
	if strings.HasPrefix(filepath.Base(event.Name), ".") {
		return nil
	}
	_, watched := w.folders[event.Name]
	if watched && event.Has(fsnotify.Write) {
		return nil // on Windows: something in it has changed, which has an event of its own
	}
	if event.Has(fsnotify.Create) || event.Has(fsnotify.Chmod) && !watched {
		if info, err := w.vault.root.Lstat(w.relative(event.Name)); err == nil && info.IsDir() {
			return w.add(event.Name, true)
		}
	}
	w.collect(event.Name)
	return nil
}

// leave stops watching a folder that is gone, and those below it: they may have moved, and their changes would be
// reported under the old names. A scan finds out what became of their files.
func (w *watch) leave(name string) {
	if _, watched := w.folders[name]; !watched {
		return
	}
	w.all = true
	for folder := range w.folders {
		if folder == name || strings.HasPrefix(folder, name+string(filepath.Separator)) {
			_ = w.watcher.remove(folder) // mostly the watch ended with the folder
			delete(w.folders, folder)
		}
	}
}

func (w *watch) relative(name string) string {
	relative, err := filepath.Rel(w.vault.dir, name)
	if err != nil {
		return name
	}
	return relative
}

func (w *watch) collect(name string) {
	path, err := vpath.Parse(filepath.ToSlash(w.relative(name)))
	if err == nil {
		w.changed[path] = struct{}{}
	}
}

// flush reports the collected changes, except our own.
func (w *watch) flush(ctx context.Context) bool {
	event := store.Event{All: w.all, Paths: w.foreign(ctx)}
	clear(w.changed)
	w.all, w.since, w.waited = false, time.Time{}, false
	if len(event.Paths) == 0 && !event.All {
		return true
	}
	return send(ctx, w.out, event)
}

// foreign lists the changes that are not our own. It waits for a running commit, which has yet to record its changes.
func (w *watch) foreign(ctx context.Context) (paths []vpath.Path) {
	w.vault.publishing.Lock()
	defer w.vault.publishing.Unlock()
	for path := range w.changed {
		if !w.isOwn(ctx, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func (w *watch) isOwn(ctx context.Context, path vpath.Path) bool {
	mark := ""
	if info, err := w.vault.Stat(ctx, path); err == nil {
		mark = info.Mark
	}
	return w.vault.own.is(path, mark)
}

package folder

import (
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

// Events that come in a row are collected: until none came for quiet, but not
// for longer than patience.
const (
	quiet    = 40 * time.Millisecond
	patience = 200 * time.Millisecond
)

// Watch implements store.Store. Where the system does not tell of changes (a
// network mount, too many folders), the vault is asked to look for itself now
// and then.
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
			f.log.Warn("changes cannot be watched, looking for them instead", "reason", stripPath(err).Error())
			f.pollLoop(ctx, events, func() bool { return errors.Is(err, errRootMoved) && f.alive() == nil })
		}
	}()
	return events
}

// errRootMoved says that the vault's own folder has gone from its place.
var errRootMoved = errors.New("the vault's folder was moved or removed")

// watchOnce reports changes until watching fails.
func (f *Folder) watchOnce(ctx context.Context, events chan<- store.Event) error {
	watcher, err := fsnotify.NewBufferedWatcher(4096)
	if err != nil {
		return err
	}
	defer watcher.Close()
	w := &watch{Folder: f, Watcher: watcher, out: events}
	return w.run(ctx)
}

// pollLoop asks for a look now and then, until done says that it can end.
func (f *Folder) pollLoop(ctx context.Context, events chan<- store.Event, done func() bool) {
	every := f.poll
	if every == 0 {
		every = 2 * time.Second
	}
	ticker := time.NewTicker(every)
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

// watch makes fsnotify recursive.
type watch struct {
	*Folder
	*fsnotify.Watcher
	out     chan<- store.Event
	folders map[string]struct{} // that are watched
	changed map[vpath.Path]struct{}
	all     bool
	since   time.Time // of the first change collected
}

// run reports changes until ctx ends or watching fails.
func (w *watch) run(ctx context.Context) error {
	w.changed, w.folders = map[vpath.Path]struct{}{}, map[string]struct{}{}
	if err := w.add(w.dir, false); err != nil {
		return err
	}
	// What happened while the watches were set up is found by a scan.
	if !send(ctx, w.out, store.Event{All: true}) {
		return nil
	}
	timer := time.NewTimer(0)
	<-timer.C
	for {
		select {
		case <-ctx.Done():
			return nil
		case event := <-w.Events:
			if err := w.note(event); err != nil {
				return err
			}
		case err := <-w.Errors:
			w.log.Debug("watching", "error", err.Error())
			w.all = true // events were lost, those of new folders among them
			if err := w.add(w.dir, false); err != nil {
				return err
			}
		case <-timer.C:
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
		timer.Reset(min(quiet, max(0, patience-time.Since(w.since))))
	}
}

// add watches a folder and those below it. Files found in it are reported if
// the folder is new. One that is closed to us holds no notes; should it be
// opened, the folder above tells of it.
func (w *watch) add(dir string, isNew bool) error {
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone already, or closed to us: then it is no note either
		}
		if name != w.dir && strings.HasPrefix(entry.Name(), ".") {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			switch err := w.Add(name); {
			case errors.Is(err, fs.ErrPermission) && name != w.dir:
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

// note takes one event of the system.
func (w *watch) note(event fsnotify.Event) error {
	if event.Has(fsnotify.Rename) || event.Has(fsnotify.Remove) {
		if event.Name == w.dir {
			return errRootMoved
		}
		w.leave(event.Name)
	}
	if strings.HasPrefix(filepath.Base(event.Name), ".") {
		return nil
	}
	if _, watched := w.folders[event.Name]; event.Has(fsnotify.Create) || event.Has(fsnotify.Chmod) && !watched {
		if info, err := w.root.Lstat(w.relative(event.Name)); err == nil && info.IsDir() {
			return w.add(event.Name, true)
		}
	}
	w.collect(event.Name)
	return nil
}

// leave stops watching a folder that went away, and those below it: they may
// live on under other names, and would be reported under the old ones. What
// was in them is found out by a look at everything.
func (w *watch) leave(name string) {
	if _, watched := w.folders[name]; !watched {
		return
	}
	w.all = true
	for folder := range w.folders {
		if folder == name || strings.HasPrefix(folder, name+string(filepath.Separator)) {
			_ = w.Remove(folder) // gone with the folder, mostly
			delete(w.folders, folder)
		}
	}
}

func (w *watch) relative(name string) string {
	relative, err := filepath.Rel(w.dir, name)
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

// flush reports what was collected, except for what we did ourselves.
func (w *watch) flush(ctx context.Context) bool {
	event := store.Event{All: w.all, Paths: w.foreign(ctx)}
	clear(w.changed)
	w.all, w.since = false, time.Time{}
	if len(event.Paths) == 0 && !event.All {
		return true
	}
	return send(ctx, w.out, event)
}

// foreign lists the changes that are not our own. A commit that is being made
// has yet to say what it did, and is waited for.
func (w *watch) foreign(ctx context.Context) (paths []vpath.Path) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	for path := range w.changed {
		if !w.isOwn(ctx, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func (w *watch) isOwn(ctx context.Context, path vpath.Path) bool {
	mark := ""
	if info, err := w.Stat(ctx, path); err == nil {
		mark = info.Mark
	}
	return w.own.is(path, mark)
}

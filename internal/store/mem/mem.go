// Package mem is the reference store: a vault in memory. Tests use it in place of real stores, since it passes the same
// suite. Besides the methods of a store it has some that act as another program would.
package mem

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Store is a vault in memory.
type Store struct {
	now func() time.Time

	mu       sync.Mutex // guards the fields below
	files    map[vpath.Path]file
	config   map[string][]byte
	trash    map[string][]byte
	watchers map[chan store.Event]struct{}
}

type file struct {
	data              []byte
	created, modified time.Time
	rev               store.Rev
	branches          []branch
}

// New returns a store with these files; those under .trash/ are in its trash.
func New(files map[string]string) *Store {
	s := &Store{
		now:      time.Now,
		files:    map[vpath.Path]file{},
		config:   map[string][]byte{},
		trash:    map[string][]byte{},
		watchers: map[chan store.Event]struct{}{},
	}
	for path, text := range files {
		if strings.HasPrefix(path, ".trash/") {
			s.trash[path] = []byte(text)
		} else {
			s.put(s.files, vpath.Path(path), []byte(text))
		}
	}
	return s
}

// SetConfig adds a file to Obsidian's settings.
func (s *Store) SetConfig(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config[name] = []byte(text)
}

// Outside changes a file as another program would; nil data removes it.
func (s *Store) Outside(path vpath.Path, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if data == nil {
		delete(s.files, path)
	} else {
		s.put(s.files, path, data)
	}
	for watcher := range s.watchers {
		select {
		case watcher <- store.Event{Paths: []vpath.Path{path}}:
		default: // full: ask the reader for a scan instead
			<-watcher
			watcher <- store.Event{All: true}
		}
	}
}

// Files returns a copy of all files, including those in the trash.
func (s *Store) Files() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]string{}
	for path, file := range s.files {
		all[string(path)] = string(file.data)
	}
	for path, data := range s.trash {
		all[path] = string(data)
	}
	return all
}

func (s *Store) put(into map[vpath.Path]file, path vpath.Path, data []byte) {
	now := s.now()
	created := now
	if old, ok := into[path]; ok {
		created = old.created
	}
	into[path] = file{data: slices.Clone(data), created: created, modified: now, rev: store.Rev(store.Hash(data))}
}

func infoOf(path vpath.Path, f file) store.Info {
	info := store.Info{Path: path, Size: int64(len(f.data)), Modified: f.modified, Created: f.created, Mark: string(f.rev)}
	for _, side := range f.branches {
		info.Conflicts = append(info.Conflicts, side.rev)
	}
	return info
}

// Scan implements store.Store.
func (s *Store) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	s.mu.Lock()
	files := maps.Clone(s.files)
	s.mu.Unlock()
	folders := map[vpath.Path]bool{}
	for path, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		for dir := path.Dir(); dir != "" && !folders[dir]; dir = dir.Dir() {
			folders[dir] = true
			visit(store.Found{Info: store.Info{Path: dir, Folder: true}})
		}
		found := store.Found{Info: infoOf(path, file)}
		if want(found.Info) && found.Size <= store.MaxScan {
			found.Data = file.data
		}
		visit(found)
	}
	return nil
}

func (s *Store) find(path vpath.Path) (file, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, exists := s.files[path]
	if !exists {
		for other := range s.files {
			if other.In(path) {
				return file{}, fault.PermissionDenied.Errorf("%q is a folder", string(path))
			}
		}
		return file{}, fault.NotFound.Errorf("%q does not exist", string(path))
	}
	return found, nil
}

// Stat implements store.Store.
func (s *Store) Stat(_ context.Context, path vpath.Path) (store.Info, error) {
	found, err := s.find(path)
	if errors.Is(err, fault.PermissionDenied) {
		return store.Info{Path: path, Folder: true}, nil
	}
	if err != nil {
		return store.Info{}, err
	}
	return infoOf(path, found), nil
}

// TrashPath implements store.Store.
func (s *Store) TrashPath(_ context.Context, path vpath.Path) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return freeTrashPath(s.trash, path), nil
}

// Read implements store.Store.
func (s *Store) Read(_ context.Context, path vpath.Path, limit int64) (store.File, error) {
	found, err := s.find(path)
	if err != nil {
		return store.File{}, err
	}
	return limited(path, found, limit)
}

func limited(path vpath.Path, f file, limit int64) (store.File, error) {
	if int64(len(f.data)) > limit {
		return store.File{}, fault.InvalidArgument.Errorf("%q is too large: %d bytes", string(path), len(f.data))
	}
	return store.File{Info: infoOf(path, f), Data: slices.Clone(f.data), Rev: f.rev}, nil
}

// ReadMany implements store.Store.
func (s *Store) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	return ReadEach(ctx, s, paths, limit)
}

// Config implements store.Store.
func (s *Store) Config(_ context.Context, name string) (store.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.config[name]
	if !ok {
		return store.File{}, fault.NotFound.Errorf("no settings file %q", name)
	}
	return store.File{Data: slices.Clone(data), Rev: store.Rev(store.Hash(data))}, nil
}

// Commit implements store.Store.
func (s *Store) Commit(_ context.Context, changes []store.Change) ([]store.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := unit{store: s, files: maps.Clone(s.files), config: maps.Clone(s.config), trash: maps.Clone(s.trash)}
	results := make([]store.Result, len(changes))
	for i, change := range changes {
		result, err := next.apply(change)
		if err != nil {
			return nil, err
		}
		results[i] = result
	}
	s.files, s.config, s.trash = next.files, next.config, next.trash
	return results, nil
}

// unit is a commit in progress: copies of the store's maps, which replace them if every change succeeds.
type unit struct {
	store  *Store
	files  map[vpath.Path]file
	config map[string][]byte
	trash  map[string][]byte
}

func (u *unit) apply(change store.Change) (store.Result, error) {
	if change.Op == store.RemoveFolder {
		return store.Result{Info: store.Info{Path: change.Path}}, nil // folders exist only as parts of paths
	}
	if change.Op == store.WriteConfig {
		if old, ok := u.config[change.Config]; !ok || store.Rev(store.Hash(old)) != change.Base {
			return store.Result{}, fault.Conflict.Errorf("%q has changed since it was read", change.Config)
		}
		u.config[change.Config] = change.Data
		return store.Result{}, nil
	}
	old, exists := u.files[change.Path]
	if change.Base == store.Absent {
		if exists {
			return store.Result{}, fault.AlreadyExists.Errorf("%q exists already", string(change.Path))
		}
	} else if err := old.checkBranches(change); err != nil {
		return store.Result{}, err
	} else if !exists || old.rev != change.Base {
		return store.Result{}, fault.Conflict.Errorf("%q has changed since it was read", string(change.Path))
	}
	switch change.Op {
	case store.Move:
		return u.move(change, old)
	case store.Trash:
		delete(u.files, change.Path)
		trashed := freeTrashPath(u.trash, change.Path)
		u.trash[trashed] = old.data
		return store.Result{Info: store.Info{Path: change.Path}, TrashPath: trashed}, nil
	default:
		result, err := u.write(change.Path, change.Data)
		if made := u.files[change.Path]; err == nil && !exists && !change.Modified.IsZero() {
			made.modified = change.Modified
			u.files[change.Path], result.Info = made, infoOf(change.Path, made)
		}
		return result, err
	}
}

func (u *unit) write(path vpath.Path, data []byte) (store.Result, error) {
	for dir := path.Dir(); dir != ""; dir = dir.Dir() {
		if _, taken := u.files[dir]; taken {
			return store.Result{}, fault.PermissionDenied.Errorf("%q is not a folder", string(dir))
		}
	}
	for other := range u.files {
		if other.In(path) {
			return store.Result{}, fault.PermissionDenied.Errorf("%q is a folder", string(path))
		}
	}
	u.store.put(u.files, path, data)
	return store.Result{Info: infoOf(path, u.files[path]), Rev: u.files[path].rev}, nil
}

func (u *unit) move(change store.Change, old file) (store.Result, error) {
	if _, taken := u.files[change.To]; taken {
		return store.Result{}, fault.AlreadyExists.Errorf("%q exists already", string(change.To))
	}
	delete(u.files, change.Path)
	if change.Data != nil {
		old.data = change.Data
	}
	created := old.created
	result, err := u.write(change.To, old.data)
	if err == nil {
		moved := u.files[change.To]
		moved.created = created
		u.files[change.To] = moved
		result.Info = infoOf(change.To, moved)
	}
	return result, err
}

func freeTrashPath(trash map[string][]byte, path vpath.Path) string {
	full := ".trash/" + string(path)
	ext := full[len(full)-len(path.Ext()):]
	free := full
	for n := 2; ; n++ {
		if _, taken := trash[free]; !taken {
			return free
		}
		free = fmt.Sprintf("%s %d%s", strings.TrimSuffix(full, ext), n, ext)
	}
}

// Watch implements store.Store.
func (s *Store) Watch(ctx context.Context) <-chan store.Event {
	events := make(chan store.Event, 1024)
	events <- store.Event{All: true}
	s.mu.Lock()
	s.watchers[events] = struct{}{}
	s.mu.Unlock()
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, events)
		close(events)
	})
	return events
}

// Close implements store.Store.
func (s *Store) Close() error { return nil }

// ReadEach implements ReadMany by calling Read. Tests that change how a store reads need it too.
func ReadEach(ctx context.Context, s store.Store, paths []vpath.Path, limit int64) []store.Outcome {
	all := make([]store.Outcome, len(paths))
	for i, path := range paths {
		if all[i].Err = ctx.Err(); all[i].Err == nil {
			all[i].File, all[i].Err = s.Read(ctx, path, limit)
		}
	}
	return all
}

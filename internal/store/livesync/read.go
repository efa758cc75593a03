package livesync

import (
	"context"
	"errors"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// Stat implements store.Store. What the catalogue knows, it knows as fresh as
// the feed is; of what it does not know, the database is asked: another server
// may have made it a moment ago.
func (s *Store) Stat(ctx context.Context, path vpath.Path) (store.Info, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return store.Info{}, err
	}
	if info, ok := s.listed(path); ok {
		return info, nil
	}
	file, err := s.document(ctx, now, path)
	if info, ok := s.listed(path); ok && info.Folder {
		return info, nil
	}
	if errors.Is(err, fault.PermissionDenied) { // by the database, which says nothing of what is there
		err = fault.StoreUnavailable.Errorf("%v", err)
	}
	if err != nil {
		return store.Info{}, err
	}
	return infoOf(path, file), nil
}

// listed is what the catalogue has of a path.
func (s *Store) listed(path vpath.Path) (store.Info, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.files == nil || s.trouble != nil:
	case s.files.byPath[path] != nil:
		return s.files.byPath[path].info(), true
	case s.files.folders[path] > 0:
		return store.Info{Path: path, Folder: true}, true
	}
	return store.Info{}, false
}

// document reads the document of a file that exists.
func (s *Store) document(ctx context.Context, now *session, path vpath.Path) (*format.Meta, error) {
	s.mu.Lock()
	id := s.files.id(now.codec, path)
	s.mu.Unlock()
	file, err := s.fetchFile(ctx, now, id)
	if err != nil {
		return nil, err
	}
	if file != nil && file.Path == string(path) {
		return file, nil
	}
	if _, err := s.known(ctx); err != nil {
		return nil, err
	}
	if info, ok := s.listed(path); ok && info.Folder {
		return nil, fault.PermissionDenied.Errorf("%q is a folder", string(path))
	}
	return nil, fault.NotFound.Errorf("%q does not exist", string(path))
}

// fetchFile reads a file's document; nil is for one that is not there, or is
// deleted.
func (s *Store) fetchFile(ctx context.Context, now *session, id string) (*format.Meta, error) {
	found, err := s.couch.Get(ctx, id, couch.GetOptions{Conflicts: true})
	if errors.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, lost(err)
	}
	read, err := now.codec.Decode(found.Body)
	if err != nil {
		return nil, &unreadable{err}
	}
	if read.Deleted || read.File == nil {
		return nil, nil
	}
	return read.File, nil
}

// Read implements store.Store.
func (s *Store) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return store.File{}, err
	}
	if err := s.tooSoon(path); err != nil {
		return store.File{}, err
	}
	read, err := s.readNow(ctx, now, path, limit)
	if errors.Is(err, fault.PermissionDenied) { // the database may have another salt by now
		if again, other := s.confirmed(ctx, now); other == nil && again != now {
			read, err = s.readNow(ctx, again, path, limit)
		}
	}
	return read, s.failed(path, err)
}

func (s *Store) readNow(ctx context.Context, now *session, path vpath.Path, limit int64) (store.File, error) {
	file, err := s.document(ctx, now, path)
	if err != nil {
		return store.File{}, err
	}
	return s.readFile(ctx, now, path, file, limit)
}

func (s *Store) readFile(ctx context.Context, now *session, path vpath.Path, file *format.Meta, limit int64) (store.File, error) {
	if file.Size > limit {
		return store.File{}, tooLarge(path, file.Size)
	}
	data, err := s.content(ctx, now, file)
	if err != nil {
		return store.File{}, err
	}
	if int64(len(data)) > limit {
		return store.File{}, tooLarge(path, int64(len(data)))
	}
	return store.File{Info: infoOf(path, file), Data: data, Rev: store.Rev(file.Rev)}, nil
}

func tooLarge(path vpath.Path, size int64) error {
	return fault.InvalidArgument.Errorf("%q is too large: %d bytes", string(path), size)
}

// Branch implements store.Store.
func (s *Store) Branch(ctx context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return store.File{}, err
	}
	winner, err := s.document(ctx, now, path)
	if info, ok := s.listed(path); ok && info.Folder {
		return store.File{}, fault.NotFound.Errorf("%q is a folder", string(path))
	}
	if err != nil {
		return store.File{}, err
	}
	if !slices.Contains(winner.Conflicts, string(rev)) {
		return store.File{}, fault.NotFound.Errorf("%q has no side %q of a conflict", string(path), string(rev))
	}
	found, err := s.couch.Get(ctx, winner.ID, couch.GetOptions{Rev: string(rev)})
	if err != nil {
		return store.File{}, lost(err)
	}
	read, err := now.codec.Decode(found.Body)
	if err != nil {
		return store.File{}, &unreadable{err}
	}
	if read.File == nil || read.Deleted {
		return store.File{}, fault.NotFound.Errorf("on that side %q is deleted", string(path))
	}
	return s.readFile(ctx, now, path, read.File, limit)
}

// hidden begins the paths of files in hidden folders.
const configPrefix = "i:.obsidian/"

// Config implements store.Store. Devices share Obsidian's own files only if
// they are told to.
func (s *Store) Config(ctx context.Context, name string) (store.File, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return store.File{}, err
	}
	id := now.codec.ID(configPrefix + name)
	if s.lacks(id) {
		return store.File{}, fault.NotFound.Errorf("no settings file %q", name)
	}
	file, err := s.fetchFile(ctx, now, id)
	if err != nil {
		return store.File{}, err
	}
	if file == nil {
		return store.File{}, fault.NotFound.Errorf("no settings file %q", name)
	}
	return s.readFile(ctx, now, vpath.Path(name), file, 4<<20)
}

// lacks reports that the catalogue knows for certain that a hidden file is
// absent.
func (s *Store) lacks(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files != nil && s.trouble == nil && s.files.hidden[id] == ""
}

// TrashPath implements store.Store.
func (s *Store) TrashPath(ctx context.Context, path vpath.Path) (string, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return "", err
	}
	files, err := s.known(ctx)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return files.freeTrash(now.codec, path, nil), nil
}

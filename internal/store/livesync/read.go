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

// Stat implements store.Store. It answers from the catalogue, which is as fresh as the feed. For an unknown path it asks
// the database, because another server may just have created the file.
func (s *Store) Stat(ctx context.Context, path vpath.Path) (store.Info, error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return store.Info{}, err
	}
	if info, ok := s.lookup(path); ok {
		return info, nil
	}
	file, err := s.document(ctx, sess, path)
	if info, ok := s.lookup(path); ok && info.Folder {
		return info, nil
	}
	if errors.Is(err, fault.PermissionDenied) { // the database refused: whether the file exists is unknown
		err = fault.StoreUnavailable.Errorf("%v", err)
	}
	if err != nil {
		return store.Info{}, err
	}
	return infoOf(path, file), nil
}

// lookup returns what the catalogue knows about a path.
func (s *Store) lookup(path vpath.Path) (store.Info, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.files == nil || s.outage != nil:
	case s.files.byPath[path] != nil:
		return s.files.byPath[path].info(), true
	case s.files.folders[path] > 0:
		return store.Info{Path: path, Folder: true}, true
	}
	return store.Info{}, false
}

// document reads the document of a file that exists.
func (s *Store) document(ctx context.Context, sess *session, path vpath.Path) (*format.Meta, error) {
	s.mu.Lock()
	id := s.files.id(sess.codec, path)
	s.mu.Unlock()
	file, err := s.fetchFile(ctx, sess, id)
	if err != nil {
		return nil, err
	}
	if file != nil && file.Path == string(path) {
		return file, nil
	}
	if _, err := s.ensureCatalogue(ctx); err != nil {
		return nil, err
	}
	if info, ok := s.lookup(path); ok && info.Folder {
		return nil, fault.PermissionDenied.Errorf("%q is a folder", string(path))
	}
	return nil, fault.NotFound.Errorf("%q does not exist", string(path))
}

// fetchFile reads a file's document. It returns nil if the document is missing or deleted.
func (s *Store) fetchFile(ctx context.Context, sess *session, id string) (*format.Meta, error) {
	found, err := s.couch.Get(ctx, id, couch.GetOptions{Conflicts: true})
	if errors.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, databaseError(err)
	}
	read, err := sess.codec.Decode(found.Body)
	if err != nil {
		return nil, &unreadable{err}
	}
	if read.Deleted || read.File == nil {
		return nil, nil
	}
	s.recent.put(found, s.opt.Now())
	return read.File, nil
}

// Read implements store.Store.
func (s *Store) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return store.File{}, err
	}
	if err := s.retryPending(path); err != nil {
		return store.File{}, err
	}
	read, err := s.readNow(ctx, sess, path, limit)
	if errors.Is(err, fault.PermissionDenied) { // the database may have a new salt
		if again, other := s.confirmSession(ctx, sess); other == nil && again != sess {
			read, err = s.readNow(ctx, again, path, limit)
		}
	}
	return read, s.recordRead(path, err)
}

func (s *Store) readNow(ctx context.Context, sess *session, path vpath.Path, limit int64) (store.File, error) {
	file, err := s.document(ctx, sess, path)
	if err != nil {
		return store.File{}, err
	}
	return s.readFile(ctx, sess, path, file, limit)
}

func (s *Store) readFile(ctx context.Context, sess *session, path vpath.Path, file *format.Meta, limit int64) (store.File, error) {
	if file.Size > limit {
		return store.File{}, tooLarge(path, file.Size)
	}
	data, err := s.content(ctx, sess, file)
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
	sess, err := s.connected(ctx)
	if err != nil {
		return store.File{}, err
	}
	winner, err := s.conflicted(ctx, sess, path)
	if info, ok := s.lookup(path); ok && info.Folder {
		return store.File{}, fault.NotFound.Errorf("%q is a folder", string(path))
	}
	if err != nil {
		return store.File{}, err
	}
	if !slices.Contains(winner.Conflicts, string(rev)) {
		return store.File{}, fault.NotFound.Errorf("%q has no conflicting revision %q", string(path), string(rev))
	}
	found, err := s.couch.Get(ctx, winner.ID, couch.GetOptions{Rev: string(rev)})
	if err != nil {
		return store.File{}, databaseError(err)
	}
	read, err := sess.codec.Decode(found.Body)
	if err != nil {
		return store.File{}, &unreadable{err}
	}
	if read.File == nil || read.Deleted {
		return store.File{}, fault.NotFound.Errorf("%q is deleted in that revision", string(path))
	}
	return s.readFile(ctx, sess, path, read.File, limit)
}

// configPrefix starts the paths of Obsidian's own files.
const configPrefix = "i:.obsidian/"

// Config implements store.Store. Devices share Obsidian's own files only if the user turns that on.
func (s *Store) Config(ctx context.Context, name string) (store.File, error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return store.File{}, err
	}
	id := sess.codec.ID(configPrefix + name)
	if s.knownAbsent(id) {
		return store.File{}, fault.NotFound.Errorf("no settings file %q", name)
	}
	file, err := s.fetchFile(ctx, sess, id)
	if err != nil {
		return store.File{}, err
	}
	if file == nil {
		return store.File{}, fault.NotFound.Errorf("no settings file %q", name)
	}
	return s.readFile(ctx, sess, vpath.Path(name), file, 4<<20)
}

// knownAbsent reports whether the catalogue is certain that a hidden file does not exist.
func (s *Store) knownAbsent(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files != nil && s.outage == nil && s.files.hidden[id] == ""
}

// TrashPath implements store.Store.
func (s *Store) TrashPath(ctx context.Context, path vpath.Path) (string, error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return "", err
	}
	files, err := s.ensureCatalogue(ctx)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return files.freeTrashPath(sess.codec, path, nil), nil
}

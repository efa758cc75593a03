package mem

import (
	"context"
	"fmt"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// branch is the losing side of a conflict.
type branch struct {
	data []byte
	rev  store.Rev
	base []byte // what both sides were made from; nil: the store does not have it
}

// Diverge adds a branch to a file, like a device that changed it at the same time as another one, and returns the
// revision of the branch. Outside resolves the conflict.
func (s *Store) Diverge(path vpath.Path, data []byte) store.Rev {
	return s.DivergeFrom(path, nil, data)
}

// DivergeFrom is Diverge for a branch whose common ancestor with the file is known.
func (s *Store) DivergeFrom(path vpath.Path, base, data []byte) store.Rev {
	s.mu.Lock()
	defer s.mu.Unlock()
	file := s.files[path]
	rev := store.Rev(fmt.Sprintf("%d-%s", len(file.branches)+1, store.Hash(data)))
	added := branch{slices.Clone(data), rev, slices.Clone(base)}
	file.branches = append(slices.Clone(file.branches), added)
	s.files[path] = file
	return added.rev
}

// Branch implements store.Store.
func (s *Store) Branch(_ context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	found, side, err := s.findBranch(path, rev)
	if err != nil {
		return store.File{}, err
	}
	return limited(path, file{data: side.data, created: found.created, modified: found.modified, rev: side.rev}, limit)
}

// Ancestor implements store.Store.
func (s *Store) Ancestor(_ context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	found, side, err := s.findBranch(path, rev)
	if err == nil && side.base == nil {
		err = fault.NotFound.Errorf("the ancestor of %q is not known", string(path))
	}
	if err != nil {
		return store.File{}, err
	}
	return limited(path, file{data: side.base, created: found.created, modified: found.modified}, limit)
}

func (s *Store) findBranch(path vpath.Path, rev store.Rev) (file, branch, error) {
	found, err := s.find(path)
	if err != nil {
		return file{}, branch{}, fault.NotFound.Errorf("%q does not exist", string(path))
	}
	for _, side := range found.branches {
		if side.rev == rev {
			return found, side, nil
		}
	}
	return file{}, branch{}, fault.NotFound.Errorf("%q has no branch %q", string(path), string(rev))
}

// Conflicted implements store.Store.
func (s *Store) Conflicted(context.Context) ([]store.Conflict, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []store.Conflict
	for path, file := range s.files {
		if len(file.branches) == 0 {
			continue
		}
		sides := []store.Side{{Rev: file.rev, Size: int64(len(file.data)), Modified: file.modified}}
		for _, side := range file.branches {
			sides = append(sides, store.Side{Rev: side.rev, Size: int64(len(side.data)), Modified: file.modified})
		}
		all = append(all, store.Conflict{Path: path, Sides: sides})
	}
	return all, nil
}

// checkBranches refuses a change of a file in conflict, unless it resolves the conflict as it is now.
func (f file) checkBranches(change store.Change) error {
	var revs []store.Rev
	for _, side := range f.branches {
		revs = append(revs, side.rev)
	}
	resolves := slices.Sorted(slices.Values(change.Resolves))
	slices.Sort(revs)
	switch {
	case len(resolves) > 0 && change.Op == store.Write && slices.Equal(revs, resolves):
		return nil
	case len(resolves) > 0:
		return fault.Conflict.Errorf("the conflict of %q has changed since it was read", string(change.Path))
	case len(revs) > 0:
		return fault.Conflict.Errorf("%q %w", string(change.Path), store.ErrUnresolved)
	}
	return nil
}

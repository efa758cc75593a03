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
}

// Diverge adds a branch to a file, like a device that changed it at the same time as another one, and returns the
// revision of the branch. Outside resolves the conflict.
func (s *Store) Diverge(path vpath.Path, data []byte) store.Rev {
	s.mu.Lock()
	defer s.mu.Unlock()
	file := s.files[path]
	added := branch{slices.Clone(data), store.Rev(fmt.Sprintf("%d-%s", len(file.branches)+1, store.Hash(data)))}
	file.branches = append(slices.Clone(file.branches), added)
	s.files[path] = file
	return added.rev
}

// Branch implements store.Store.
func (s *Store) Branch(_ context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	found, err := s.find(path)
	if err != nil {
		return store.File{}, fault.NotFound.Errorf("%q does not exist", string(path))
	}
	for _, side := range found.branches {
		if side.rev == rev {
			return limited(path, file{data: side.data, created: found.created, modified: found.modified, rev: side.rev}, limit)
		}
	}
	return store.File{}, fault.NotFound.Errorf("%q has no branch %q", string(path), string(rev))
}

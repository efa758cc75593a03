package mem

import (
	"context"
	"fmt"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// branch is a side of a conflict that did not win.
type branch struct {
	data []byte
	rev  store.Rev
}

// Diverge gives a file one more branch, as a device does that changed it while
// another did, and tells the branch's revision. Outside ends such a conflict.
func (s *Store) Diverge(path vpath.Path, data []byte) store.Rev {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.files[path]
	added := branch{slices.Clone(data), store.Rev(fmt.Sprintf("%d-%s", len(one.branches)+1, store.Hash(data)))}
	one.branches = append(slices.Clone(one.branches), added)
	s.files[path] = one
	return added.rev
}

// Branch implements store.Store.
func (s *Store) Branch(_ context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	one, err := s.find(path)
	if err != nil {
		return store.File{}, fault.NotFound.Errorf("%q does not exist", string(path))
	}
	for _, side := range one.branches {
		if side.rev == rev {
			return limited(path, file{data: side.data, created: one.created, modified: one.modified, rev: side.rev}, limit)
		}
	}
	return store.File{}, fault.NotFound.Errorf("%q has no branch %q", string(path), string(rev))
}

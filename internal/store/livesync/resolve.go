package livesync

import (
	"context"
	"errors"
	"slices"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// A conflict is resolved in two steps: the chosen text is written over the branch that wins, and then the other branches
// are deleted. If the second step fails, the conflict remains, and both its sides hold what was chosen or dropped, so that
// resolving it again does the same. The other order could lose a side.

// conflictsAtOnce is for how many documents one request asks for all branches.
const conflictsAtOnce = 100

// Conflicted implements store.Store.
func (s *Store) Conflicted(ctx context.Context) ([]store.Conflict, error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	files, err := s.ensureCatalogue(ctx)
	if err != nil {
		return nil, err
	}
	var found []store.Conflict
	ids, paths := s.inConflict(files)
	for some := range slices.Chunk(ids, conflictsAtOnce) {
		all, err := s.couch.Leaves(ctx, some)
		if err != nil {
			return nil, databaseError(err)
		}
		for i, leaves := range all {
			if sides := sess.sides(leaves); len(sides) > 1 && slices.ContainsFunc(sides, func(side store.Side) bool { return !side.Deleted }) {
				found = append(found, store.Conflict{Path: paths[some[i]], Sides: sides})
			}
		}
	}
	return found, nil
}

// inConflict returns the ids of the files in conflict, and their paths.
func (s *Store) inConflict(files *catalogue) (ids []string, paths map[string]vpath.Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	paths = map[string]vpath.Path{}
	for _, entry := range files.byPath {
		if len(entry.conflicts) > 0 {
			ids, paths[entry.id] = append(ids, entry.id), entry.path
		}
	}
	for id, path := range files.contested {
		ids, paths[id] = append(ids, id), path
	}
	slices.Sort(ids)
	return ids, paths
}

// sides describes the branches of a document that are not deleted. A branch that cannot be decoded is there all the same.
func (s *session) sides(leaves []couch.Document) (sides []store.Side) {
	for _, leaf := range leaves {
		if leaf.Deleted {
			continue
		}
		side := store.Side{Rev: store.Rev(leaf.Rev)}
		if read := s.inspect(&leaf); read.file != nil {
			side.Size, side.Modified, side.Deleted = read.file.Size, time.UnixMilli(read.file.MTime), read.deleted
		}
		sides = append(sides, side)
	}
	return sides
}

// conflicted reads the document of a file that exists, or of a deleted one that another branch still has.
func (s *Store) conflicted(ctx context.Context, sess *session, path vpath.Path) (*format.Meta, error) {
	file, err := s.document(ctx, sess, path)
	if !errors.Is(err, fault.NotFound) {
		return file, err
	}
	found, getErr := s.couch.Get(ctx, sess.codec.ID(string(path)), couch.GetOptions{Conflicts: true})
	if getErr != nil {
		return nil, err
	}
	if deleted := sess.inspect(&found); deleted.file != nil && deleted.file.Path == string(path) && len(deleted.file.Conflicts) > 0 {
		return deleted.file, nil
	}
	return nil, err
}

// Ancestor implements store.Store.
func (s *Store) Ancestor(ctx context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return store.File{}, err
	}
	winner, err := s.conflicted(ctx, sess, path)
	if err != nil {
		return store.File{}, err
	}
	leaves, err := s.couch.Leaves(ctx, []string{winner.ID})
	if err != nil {
		return store.File{}, databaseError(err)
	}
	at := func(rev string) int {
		return slices.IndexFunc(leaves[0], func(leaf couch.Document) bool { return leaf.Rev == rev && !leaf.Deleted })
	}
	ours, theirs := at(winner.Rev), at(string(rev))
	if ours < 0 || theirs < 0 || ours == theirs {
		return store.File{}, fault.NotFound.Errorf("%q has no conflicting revision %q", string(path), string(rev))
	}
	base, err := s.commonAncestor(ctx, sess, leaves[0][ours], leaves[0][theirs])
	if err != nil {
		return store.File{}, databaseError(err)
	}
	var file store.File
	if base != nil {
		file, err = s.readFile(ctx, sess, path, base, limit)
	}
	if base == nil || errors.Is(err, format.ErrMissing) {
		return store.File{}, fault.NotFound.Errorf("the database no longer has the version from which both sides of %q were made", string(path))
	}
	return file, err
}

// checkResolving returns an error if a commit resolves a conflict and does something else too.
func checkResolving(changes []store.Change) error {
	if len(changes) > 1 && slices.ContainsFunc(changes, func(change store.Change) bool { return len(change.Resolves) > 0 }) {
		return fault.InvalidArgument.Errorf("a conflict is resolved by a commit of its own")
	}
	return nil
}

// checkResolves returns an error unless a change resolves the conflict that the file has now.
func checkResolves(change store.Change, file *format.Meta) error {
	now := slices.Sorted(slices.Values(revisions(file.Conflicts)))
	if change.Op != store.Write || !slices.Equal(now, slices.Sorted(slices.Values(change.Resolves))) {
		return fault.Conflict.Errorf("the conflict of %q has changed since it was read", file.Path).WithHint("look at it again")
	}
	return nil
}

// withoutConflicts returns a document as it is once its conflicts are resolved.
func withoutConflicts(file *format.Meta, resolves []store.Rev) *format.Meta {
	if file == nil || len(resolves) == 0 {
		return file
	}
	resolved := *file
	resolved.Conflicts = nil
	return &resolved
}

// endResolved deletes the branches that documents resolve. A branch that a device has changed in the meantime stays, and the
// document is in conflict again.
func (s *Store) endResolved(ctx context.Context, writes []*docWrite) error {
	for _, write := range writes {
		isKept := false
		for _, rev := range write.resolves {
			_, err := s.endBranch(ctx, write.id, string(rev))
			if err != nil && !errors.Is(err, fault.Conflict) {
				return fault.StoreUnavailable.Errorf("%q is written, but the other side of its conflict could not be removed: %w", write.file.Path, err).
					WithHint("resolve the conflict again; nothing is lost")
			}
			isKept = isKept || err != nil
		}
		if !isKept {
			continue
		}
		leaves, err := s.couch.Leaves(ctx, []string{write.id})
		if err != nil {
			return err
		}
		write.file.Conflicts = nil
		for _, leaf := range leaves[0] {
			if !leaf.Deleted && leaf.Rev != write.rev {
				write.file.Conflicts = append(write.file.Conflicts, leaf.Rev)
			}
		}
	}
	return nil
}

// endChosen deletes, in a cluster, the branches that a document resolves, and reports whether there was one.
func (s *Store) endChosen(ctx context.Context, write *docWrite, others []couch.Document) (ended bool, err error) {
	for _, other := range others {
		if slices.Contains(write.resolves, store.Rev(other.Rev)) {
			if _, err := s.endBranch(ctx, write.id, other.Rev); err != nil {
				return false, err
			}
			ended = true
		}
	}
	return ended, nil
}

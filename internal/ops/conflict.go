package ops

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/conflict"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/text/order"
)

// conflictKind is where the versions of a file in conflict are.
type conflictKind string

const (
	inRevisions conflictKind = "revision" // in the store
	inCopies    conflictKind = "copy"     // in files beside it
)

// foundConflict is a file that exists in several versions. If all versions are copies, no file has the path.
type foundConflict struct {
	path  vpath.Path
	kind  conflictKind
	sides []conflictSide // the file itself first, if it exists
}

// conflictSide is a version of a file.
type conflictSide struct {
	id       string     // the revision, or the path of the copy
	rev      store.Rev  // of a version in the store
	path     vpath.Path // of the file that holds it
	modified time.Time
	size     int64
	deleted  bool
}

// conflicts lists the files in conflict, sorted by their paths.
func (o *Ops) conflicts(ctx context.Context, s *index.Snapshot) ([]foundConflict, error) {
	inStore, err := o.vault.Conflicted(ctx)
	if err != nil {
		return nil, err
	}
	found := copiesOf(s, "")
	for _, each := range inStore {
		found = append(found, inRevision(each))
	}
	order.By(found, func(a, b foundConflict) int {
		return cmp.Or(strings.Compare(string(a.path), string(b.path)), strings.Compare(string(b.kind), string(a.kind)))
	})
	return found, nil
}

func inRevision(found store.Conflict) foundConflict {
	all := foundConflict{path: found.Path, kind: inRevisions}
	for _, side := range found.Sides {
		all.sides = append(all.sides, conflictSide{
			id: string(side.Rev), rev: side.Rev, path: found.Path, modified: side.Modified, size: side.Size, deleted: side.Deleted,
		})
	}
	return all
}

// copiesOf finds the copies of a file that sync programs have made, or of all files if the path is "". A single file with the name of
// a copy is not in conflict with anything.
func copiesOf(s *index.Snapshot, of vpath.Path) (found []foundConflict) {
	copies := map[vpath.Path][]conflictSide{}
	for path := range s.Files {
		named, isCopy := conflict.OriginalOf(string(path))
		if !isCopy {
			continue
		}
		original, err := vpath.Parse(named)
		if original = spelt(s, original); err == nil && (of == "" || original == of) {
			copies[original] = append(copies[original], sideInFile(s, path))
		}
	}
	for original, sides := range copies {
		order.By(sides, func(a, b conflictSide) int { return strings.Compare(a.id, b.id) })
		if s.Has(original) {
			sides = slices.Insert(sides, 0, sideInFile(s, original))
		}
		if len(sides) > 1 {
			found = append(found, foundConflict{original, inCopies, sides})
		}
	}
	return found
}

// spelt returns a path as the vault spells it, if it exists.
func spelt(s *index.Snapshot, path vpath.Path) vpath.Path {
	if there, ok := s.Paths.Find(path); ok {
		return there
	}
	return path
}

func sideInFile(s *index.Snapshot, path vpath.Path) conflictSide {
	entry := s.Entry(path)
	return conflictSide{id: string(path), path: path, modified: entry.Modified, size: entry.Size}
}

// conflictOf finds the conflict of a note that a caller names; a copy stands for the file that it belongs to. If there are both
// revisions and copies, the revisions come first, because the file cannot be written before.
func (o *Ops) conflictOf(ctx context.Context, name string) (*index.Snapshot, foundConflict, error) {
	s, path, err := o.findExact(ctx, name)
	if errors.Is(err, fault.NotFound) && s != nil {
		if found, ok := o.deletedConflict(ctx, name); ok {
			return s, found, nil
		}
	}
	if err != nil {
		asked, parseErr := vpath.ParseNote(strings.TrimPrefix(name, "/"))
		if s == nil || parseErr != nil || len(copiesOf(s, asked)) == 0 {
			return nil, foundConflict{}, err
		}
		path = asked
	}
	if len(o.vault.Conflicts(ctx, path)) > 0 {
		all, err := o.vault.Conflicted(ctx)
		at := slices.IndexFunc(all, func(c store.Conflict) bool { return c.Path == path })
		if err != nil || at >= 0 {
			var found foundConflict
			if err == nil {
				found = inRevision(all[at])
			}
			return s, found, err
		}
	}
	if named, isCopy := conflict.OriginalOf(string(path)); isCopy {
		if original, err := vpath.Parse(named); err == nil {
			path = spelt(s, original)
		}
	}
	if found := copiesOf(s, path); len(found) > 0 {
		return s, found[0], nil
	}
	return nil, foundConflict{}, fault.NotFound.Errorf("'%s' is not in conflict", name).WithHint("find_conflicts lists what is")
}

// deletedConflict finds a note that was deleted on one device and changed on another one.
func (o *Ops) deletedConflict(ctx context.Context, name string) (found foundConflict, ok bool) {
	all, err := o.vault.Conflicted(ctx)
	if err != nil {
		return found, false
	}
	for _, each := range all {
		if each.Sides[0].Deleted && hasName(each.Path, strings.TrimPrefix(name, "/")) {
			return inRevision(each), true
		}
	}
	return found, false
}

package index

import (
	"bytes"
	"context"
	"runtime"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
)

// OverlaySize is how many files have changed since the snapshot's base was built.
func (s *Snapshot) OverlaySize() int { return s.entries.over.len() }

// Rebuild makes a snapshot with the same content, all of it in a new base. It reads no files, because the index has
// their texts.
func (s *Snapshot) Rebuild(ctx context.Context, sink Sink) (*Snapshot, error) {
	b := newBuilder(sink)
	for doc := range s.text.Live().All() {
		if err := ctx.Err(); err != nil {
			b.Abandon()
			return nil, err
		}
		entry := s.Entry(s.pathOf(doc))
		s.text.Text(doc, func(text []byte, binary bool) {
			copied := *entry
			copied.text, copied.binary = text, binary
			b.Add(&copied)
		})
	}
	var folders []vpath.Path
	s.Folders(func(folder vpath.Path) bool { folders = append(folders, folder); return true })
	return b.Finish(ctx, folders)
}

// Adopt takes over what was computed for another snapshot with the same content, such as the tasks of all notes.
func (s *Snapshot) Adopt(other *Snapshot) {
	s.tasks.after(&other.tasks)
	s.pages.after(&other.pages)
	s.bases.after(&other.bases)
}

// IsPacked reports whether the texts of the base are packed, as they are in an index that stays in memory.
func (s *Snapshot) IsPacked() bool { return s.base.book != nil }

// Merge makes a snapshot with the same content, with all texts of the base in one segment. It returns nil if they do not
// fit into one or are packed. Changes since the base was built are not part of it: Since has them.
func (s *Snapshot) Merge(ctx context.Context, sink func() Sink) (*Snapshot, error) {
	if s.IsPacked() {
		return nil, nil
	}
	defer runtime.KeepAlive(s.base)
	texts, words, err := text.Merge(ctx, s.base.segments)
	if texts == nil || err != nil {
		return nil, err
	}
	into := sink()
	added := [][][]byte{texts}
	for _, table := range s.base.tables {
		added = append(added, [][]byte{table})
	}
	for _, parts := range append(added, words) {
		if err := into.Add(parts...); err != nil {
			into.Abort()
			return nil, err
		}
	}
	sections, owner, err := into.Commit()
	if err != nil {
		return nil, err
	}
	return Open(sections, owner)
}

// Segments is the number of segments of the base.
func (s *Snapshot) Segments() int { return len(s.base.segments) }

// Unchanged returns the snapshot without the changes since its base was built.
func (s *Snapshot) Unchanged() *Snapshot { return newSnapshot(s.base) }

// Since returns what has changed since an earlier snapshot with the same base.
func (s *Snapshot) Since(earlier *Snapshot) Change {
	var change Change
	for path, entry := range s.entries.over.all {
		switch before, had := earlier.entries.over.get(path); {
		case had && before == entry:
		case entry == nil:
			change.Removed = append(change.Removed, path)
		default:
			copied := *entry
			s.text.Text(s.text.Doc(string(path)), func(text []byte, binary bool) {
				copied.text, copied.binary = bytes.Clone(text), binary
			})
			change.Updated = append(change.Updated, &copied)
		}
	}
	for key, folder := range s.folders.over.all {
		switch before, had := earlier.folders.over.get(key); {
		case had && before == folder:
		case folder != "":
			change.Folders = append(change.Folders, folder)
			if old := earlier.folders.get(key); old != "" && old != folder {
				change.FoldersGone = append(change.FoldersGone, old) // its spelling changed
			}
		case earlier.folders.get(key) != "":
			change.FoldersGone = append(change.FoldersGone, earlier.folders.get(key))
		}
	}
	return change
}

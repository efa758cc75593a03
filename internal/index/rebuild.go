package index

import (
	"bytes"
	"context"

	"obsidian-mcp/internal/note/vpath"
)

// OverlaySize is how many files have changed since the snapshot's base was built.
func (s *Snapshot) OverlaySize() int { return len(s.entries.over) }

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
	next, err := b.Finish(folders)
	if err == nil {
		next.tasks.after(&s.tasks)
	}
	return next, err
}

// Since returns what has changed since an earlier snapshot with the same base.
func (s *Snapshot) Since(earlier *Snapshot) Change {
	var change Change
	for path, entry := range s.entries.over {
		switch before, had := earlier.entries.over[path]; {
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
	for key, folder := range s.folders.over {
		switch before, had := earlier.folders.over[key]; {
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

package index

import (
	"bytes"
	"context"

	"obsidian-mcp/internal/note/vpath"
)

// Overlay is how many files have changed since the snapshot's base was built.
func (s *Snapshot) Overlay() int { return len(s.entries.over) }

// Rebuild makes a snapshot that says the same and has all of it in its base.
// It reads no file: the texts are in the index.
func (s *Snapshot) Rebuild(ctx context.Context, sink Sink) (*Snapshot, error) {
	b := newBuilder(sink)
	for doc := range s.text.Live().All() {
		if err := ctx.Err(); err != nil {
			b.Abandon()
			return nil, err
		}
		entry := s.Entry(s.pathOf(doc))
		s.text.Text(doc, func(text []byte, binary bool) {
			one := *entry
			one.text, one.binary = text, binary
			b.Add(&one)
		})
	}
	var folders []vpath.Path
	s.Folders(func(folder vpath.Path) bool { folders = append(folders, folder); return true })
	return b.Finish(folders)
}

// Since is what has changed from an earlier snapshot with the same base.
func (s *Snapshot) Since(earlier *Snapshot) Change {
	var change Change
	for path, entry := range s.entries.over {
		switch before, had := earlier.entries.over[path]; {
		case had && before == entry:
		case entry == nil:
			change.Removed = append(change.Removed, path)
		default:
			one := *entry
			s.text.Text(s.text.Doc(string(path)), func(text []byte, binary bool) { one.text, one.binary = bytes.Clone(text), binary })
			change.Updated = append(change.Updated, &one)
		}
	}
	for key, folder := range s.folders.over {
		switch before, had := earlier.folders.over[key]; {
		case had && before == folder:
		case folder != "":
			change.Folders = append(change.Folders, folder)
			if known := earlier.folders.get(key); known != "" && known != folder {
				change.FoldersGone = append(change.FoldersGone, known) // it is spelt otherwise now
			}
		case earlier.folders.get(key) != "":
			change.FoldersGone = append(change.FoldersGone, earlier.folders.get(key))
		}
	}
	return change
}

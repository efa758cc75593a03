package ops

import (
	"bytes"
	"context"

	"obsidian-mcp/internal/edit"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/md"
	"obsidian-mcp/internal/store"
)

// plan is a change of several notes: what is written, and what is said of it.
type plan struct {
	changes []store.Change
	files   []string // names of the notes whose links change
	links   int
}

// rewrite adds the change of one file's links to the plan. Rewriting gives
// the splices and how many links they change.
func (o *Ops) rewrite(ctx context.Context, s *index.Snapshot, p *plan, entry *index.Entry, rewriting func(data []byte) ([]md.Splice, int, error)) error {
	file, err := o.vault.Read(ctx, entry.Path, maxPart)
	if err != nil {
		return err
	}
	splices, links, err := rewriting(file.Data)
	if err != nil || len(splices) == 0 {
		return err
	}
	after := md.Apply(file.Data, splices)
	if bytes.Equal(after, file.Data) {
		return nil
	}
	p.changes = append(p.changes, store.Change{Path: entry.Path, Base: file.Rev, Data: after})
	p.files = append(p.files, s.Name(entry.Path))
	p.links += links
	return nil
}

// openNote scans a note whose links are to change. One that is not UTF-8 is
// read but never written, and keeps its links.
func openNote(data []byte) *md.Note {
	note, err := edit.Open(data)
	if err != nil {
		return nil
	}
	return note
}

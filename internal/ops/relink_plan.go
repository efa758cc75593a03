package ops

import (
	"bytes"
	"context"
	"errors"

	"obsidian-mcp/internal/edit"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/md"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vpath"
)

// attempts bounds how often a change is planned anew because others got in its
// way.
const attempts = 10

// reapplied repeats a change while it meets conflicts. A caller that expects a
// certain state of the note is told of the first.
func reapplied[T any](expected string, once func() (T, error)) (T, error) {
	for attempt := 1; ; attempt++ {
		result, err := once()
		if !errors.Is(err, fault.Conflict) || expected != "" || attempt == attempts {
			return result, err
		}
	}
}

// readExpected reads the file of a name for a change of its place.
func (o *Ops) readExpected(ctx context.Context, name string, path vpath.Path, expected string) (store.File, error) {
	file, err := o.vault.Read(ctx, path, 1<<30)
	if errors.Is(err, fault.NotFound) {
		err = index.NotFound(name)
	}
	if err == nil {
		err = vault.Expect(path, file.Data, expected)
	}
	return file, err
}

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

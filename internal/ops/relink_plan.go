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
		if !vault.IsPassing(err) || expected != "" || attempt == attempts {
			return result, err
		}
	}
}

// readExpected reads the file of a name that is to be moved, trashed or
// replaced.
func (o *Ops) readExpected(ctx context.Context, name string, path vpath.Path, expected string) (store.File, error) {
	file, err := o.vault.Read(ctx, path, 1<<30)
	if errors.Is(err, fault.NotFound) {
		err = index.NotFound(name)
	}
	if err == nil {
		err = vault.Expect(path, file.Data, expected)
	}
	if err == nil {
		err = vault.CheckResolved(file.Info)
	}
	return file, err
}

// plan is a change of several notes: what is written, and what is said of it.
// Links follow in closed notes too, but nothing is said of these.
type plan struct {
	*vault.Relinking
	seen    *index.Snapshot // by the caller
	changes []store.Change
	files   []string // names of the notes whose links change
	links   int
}

func (o *Ops) newPlan(ctx context.Context, seen *index.Snapshot) (*plan, error) {
	all, err := o.vault.Relinking(ctx)
	return &plan{Relinking: all, seen: seen, files: []string{}}, err
}

// looksAt is where links that have to follow are looked for. A dry run does not
// look at closed files: nothing is said of them, and the time that it takes
// would tell.
func (p *plan) looksAt(dryRun bool) *index.Snapshot {
	if dryRun {
		return p.seen
	}
	return p.Snapshot
}

// rewrite adds the change of one file's links to the plan. Rewriting gives
// the splices and how many links they change.
func (p *plan) rewrite(ctx context.Context, entry *index.Entry, rewriting func(data []byte) ([]md.Splice, int)) error {
	file, err := p.Read(ctx, entry.Path, maxPart)
	if errors.Is(err, fault.NotFound) && !p.Open(entry.Path) {
		return nil // it has gone since, and its links with it
	}
	if err != nil {
		return err
	}
	splices, links := rewriting(file.Data)
	after := md.Apply(file.Data, splices)
	if bytes.Equal(after, file.Data) {
		return nil
	}
	if err := vault.CheckResolved(file.Info); err != nil {
		if !p.Open(entry.Path) {
			return nil // to refuse would tell of it, time and again: its links stay
		}
		return err
	}
	p.changes = append(p.changes, store.Change{Path: entry.Path, Base: file.Rev, Data: after})
	if p.Open(entry.Path) {
		p.files = append(p.files, p.seen.Name(entry.Path))
		p.links += links
	}
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

package ops

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault"
)

// attempts bounds how often a change is planned anew because others got in its
// way.
const attempts = 10

// reapplied repeats a change while it meets conflicts. A caller that expects a
// certain state of the note is told of the first.
func reapplied[T any](ctx context.Context, expected string, once func() (T, error)) (T, error) {
	for attempt := 1; ; attempt++ {
		result, err := once()
		if !vault.MayPass(err) || expected != "" || attempt == attempts || vault.Pause(ctx, attempt) != nil {
			return result, err
		}
	}
}

// readExpected reads the file of a name that is to be moved, trashed or
// replaced.
func (o *Ops) readExpected(ctx context.Context, name string, path vpath.Path, expected string) (store.File, error) {
	file, err := o.vault.Read(ctx, path, vault.MaxFile)
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

// atOnce is how many files are read before the first of them is dealt with.
const atOnce = 200

// rewrite adds the changes of files' links to the plan. Rewriting gives the
// splices and how many links they change.
func (p *plan) rewrite(ctx context.Context, entries []*index.Entry, rewriting func(path vpath.Path, data []byte) ([]md.Splice, int)) error {
	for some := range slices.Chunk(entries, atOnce) {
		paths := make([]vpath.Path, len(some))
		for i, entry := range some {
			paths[i] = entry.Path
		}
		for i, read := range p.ReadMany(ctx, paths, maxPart) {
			if errors.Is(read.Err, fault.NotFound) && !p.Open(paths[i]) {
				continue // it has gone since, and its links with it
			}
			if read.Err != nil {
				return read.Err
			}
			splices, links := rewriting(paths[i], read.Data)
			if err := p.change(read.File, splices, links); err != nil {
				return err
			}
		}
	}
	return nil
}

// change adds the change of one file's links to the plan.
func (p *plan) change(file store.File, splices []md.Splice, links int) error {
	after := md.Apply(file.Data, splices)
	if bytes.Equal(after, file.Data) {
		return nil
	}
	if err := vault.CheckResolved(file.Info); err != nil {
		if !p.Open(file.Path) {
			return nil // to refuse would tell of it, time and again: its links stay
		}
		return err
	}
	p.changes = append(p.changes, store.Change{Path: file.Path, Base: file.Rev, Was: file.Data, Data: after})
	if p.Open(file.Path) {
		p.files = append(p.files, p.seen.Name(file.Path))
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

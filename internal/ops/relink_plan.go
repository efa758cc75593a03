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

// maxAttempts bounds how often a change is retried after conflicts with other
// writers.
const maxAttempts = 10

// retryConflicts repeats a change while it meets conflicts. A caller that expects a
// certain state of the note gets the first conflict as an error.
func retryConflicts[T any](ctx context.Context, expected string, once func() (T, error)) (T, error) {
	for attempt := 1; ; attempt++ {
		result, err := once()
		if !vault.MayPass(err) || expected != "" || attempt == maxAttempts || vault.Pause(ctx, attempt) != nil {
			return result, err
		}
	}
}

// readExpected reads a file that is to be moved, trashed or replaced, and checks that
// it is in the state the caller expects.
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

// plan is a change of several notes: what is written, and what is reported about it.
// Links are rewritten in closed notes too, but these are never reported.
type plan struct {
	vault   *vault.Relinking
	seen    *index.Snapshot // what the caller sees
	changes []store.Change
	files   []string // names of the notes whose links change
	links   int
}

func (o *Ops) newPlan(ctx context.Context, seen *index.Snapshot) (*plan, error) {
	relinking, err := o.vault.Relinking(ctx)
	return &plan{vault: relinking, seen: seen, files: []string{}}, err
}

// searched is the snapshot in which links to rewrite are searched. A dry run leaves
// closed files out: it reports nothing about them, and its duration would reveal
// them.
func (p *plan) searched(dryRun bool) *index.Snapshot {
	if dryRun {
		return p.seen
	}
	return p.vault.Snapshot
}

// readBatch is how many files are read before the first of them is rewritten.
const readBatch = 200

// rewriter returns the splices that rewrite a file's links, and how many links they
// change.
type rewriter func(path vpath.Path, data []byte) ([]md.Splice, int)

// rewrite adds the changes of files' links to the plan.
func (p *plan) rewrite(ctx context.Context, entries []*index.Entry, links rewriter) error {
	for batch := range slices.Chunk(entries, readBatch) {
		paths := make([]vpath.Path, len(batch))
		for i, entry := range batch {
			paths[i] = entry.Path
		}
		for i, read := range p.vault.ReadMany(ctx, paths, maxPart) {
			if errors.Is(read.Err, fault.NotFound) && !p.vault.Open(paths[i]) {
				continue // it was deleted in the meantime, and its links with it
			}
			if read.Err != nil {
				return read.Err
			}
			splices, count := links(paths[i], read.Data)
			if err := p.change(read.File, splices, count); err != nil {
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
		if !p.vault.Open(file.Path) {
			return nil // a refusal would reveal the closed note, so its links stay
		}
		return err
	}
	p.changes = append(p.changes, store.Change{Path: file.Path, Base: file.Rev, Was: file.Data, Data: after})
	if p.vault.Open(file.Path) {
		p.files = append(p.files, p.seen.Name(file.Path))
		p.links += links
	}
	return nil
}

// openNote scans a note whose links are to change. A note that is not UTF-8 is never
// written and keeps its links: then it returns nil.
func openNote(data []byte) *md.Note {
	note, err := edit.Open(data)
	if err != nil {
		return nil
	}
	return note
}

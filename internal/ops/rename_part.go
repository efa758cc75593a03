package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/vault"
)

// heading renames a heading of a note, and all links to it.
func (r *renaming) heading(ctx context.Context) error {
	return r.part(ctx, func(set *vpath.Set, path vpath.Path, note *md.Note) (*edit.Reanchor, error) {
		section, err := findSection(ctx, note, r.in.Note, r.in.From)
		if err != nil {
			return nil, err
		}
		anchor, err := edit.RenameHeading(set, path, note, section.Heading, r.in.To)
		if err != nil {
			return nil, err
		}
		for i, other := range note.Headings {
			if i != section.Heading && md.FoldHeading(string(other.Text.Of(note.Source))) == md.FoldHeading(r.in.To) {
				r.say("The note has another heading '%s', in line %d; links find the first of them.", r.in.To, other.Line)
				break
			}
		}
		return anchor, nil
	})
}

// block renames the id of a block of a note, and all links to it.
func (r *renaming) block(ctx context.Context) error {
	return r.part(ctx, func(set *vpath.Set, path vpath.Path, note *md.Note) (*edit.Reanchor, error) {
		block, err := findBlock(ctx, note, r.in.Note, "^"+strings.TrimPrefix(r.in.From, "^"))
		if err != nil {
			return nil, err
		}
		return edit.RenameID(set, path, note, note.FindID(block.ID), strings.TrimPrefix(r.in.To, "^"))
	})
}

// part renames a part of a note. Links in open notes are resolved among the files that the caller sees, those in closed
// notes in the whole vault.
func (r *renaming) part(ctx context.Context, rename func(*vpath.Set, vpath.Path, *md.Note) (*edit.Reanchor, error)) error {
	if r.in.Note == "" {
		return fault.InvalidArgument.Errorf("'note' is missing: which note has the %s?", r.in.Kind)
	}
	s, path, err := r.ops.findNote(ctx, r.in.Note)
	if err == nil {
		err = r.ops.vault.CheckUnguarded(path)
	}
	if err != nil {
		return err
	}
	file, err := r.ops.readText(ctx, r.in.Note, path, vault.MaxNote)
	if err != nil {
		return err
	}
	note, err := edit.Open(file.Data)
	if err != nil {
		return err
	}
	inOpen, err := rename(s.Paths, path, note)
	if err != nil {
		return err
	}
	inClosed := inOpen
	if r.plan.vault.Limited() {
		if inClosed, err = rename(r.plan.vault.Snapshot.Paths, path, note); err != nil {
			return err
		}
	}
	entries := r.plan.searched(r.in.DryRun).MayLinkTo(path)
	if !slices.ContainsFunc(entries, func(entry *index.Entry) bool { return entry.Path == path }) {
		entries = append(entries, s.Entry(path))
	}
	order.By(entries, func(a, b *index.Entry) int { return cmp.Compare(a.Path, b.Path) })
	return r.plan.rewrite(ctx, entries, func(from vpath.Path, data []byte) ([]md.Splice, int) {
		anchor := inOpen
		if !r.plan.vault.Open(from) {
			anchor = inClosed
		}
		splices := linkSplices(anchor, from, data)
		links := len(splices)
		if from == path {
			links-- // the heading or id itself
		}
		return splices, links
	})
}

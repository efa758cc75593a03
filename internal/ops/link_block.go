package ops

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// linkToBlock links a note to a block of another. words are the block's id, or words of its text; a block without an id
// gets one, in the same change as the link.
func (o *Ops) linkToBlock(ctx context.Context, in LinkAdd, targetName, words string) (LinkAdded, error) {
	return exclusively(ctx, o, in.ExpectedHash, func() (LinkAdded, error) { return o.linkToBlockOnce(ctx, in, targetName, words) })
}

// opened is a note that is about to change.
type opened struct {
	file    store.File
	note    *md.Note
	splices []md.Splice
}

func (o *Ops) linkToBlockOnce(ctx context.Context, in LinkAdd, targetName, words string) (LinkAdded, error) {
	s, source, err := o.findNote(ctx, in.Source)
	if err != nil {
		return LinkAdded{}, err
	}
	target := source
	if targetName != "" {
		if _, target, err = o.findNote(ctx, targetName); err != nil {
			return LinkAdded{}, err
		}
	}
	from, err := o.open(ctx, in.Source, source, in.ExpectedHash)
	if err != nil {
		return LinkAdded{}, err
	}
	to := from
	if target != source {
		if to, err = o.open(ctx, targetName, target, ""); err != nil {
			return LinkAdded{}, err
		}
	}
	id, err := o.idOfBlock(to, words)
	if err != nil {
		return LinkAdded{}, err
	}
	result := LinkAdded{Source: s.Name(source), Target: s.Name(target) + "#^" + id}
	if edit.LinksToPart(s.Paths, source, from.note, target, "#^"+id) {
		result.Meta = tool.Meta{"hash": store.Hash(from.file.Data), "changed": false}
		return result, nil
	}
	if err := o.addBlockLink(ctx, in, from, target, "#^"+id); err != nil {
		return LinkAdded{}, err
	}
	if err := o.consentToTags(ctx, o.tags.checkEdit(ctx, s, source, from.note, from.splices)); err != nil {
		return LinkAdded{}, err
	}
	changes, err := o.changesOf(from, to)
	if err != nil {
		return LinkAdded{}, err
	}
	if _, err := o.vault.Commit(ctx, changes); err != nil {
		return LinkAdded{}, err
	}
	result.Meta, result.Added = tool.Meta{"hash": store.Hash(changes[0].Data), "changed": true}, true
	return result, nil
}

// open reads a note that is about to change.
func (o *Ops) open(ctx context.Context, name string, path vpath.Path, expected string) (*opened, error) {
	file, err := o.readExpected(ctx, name, path, expected)
	if err != nil {
		return nil, err
	}
	if !o.vault.MayWrite(path) {
		return nil, o.vault.Closed(name)
	}
	note, err := edit.Open(file.Data)
	return &opened{file: file, note: note}, err
}

// maxIDs is how many ids are tried before giving up; among six random digits the first is almost always free.
const maxIDs = 100

// idOfBlock returns the id of the block that words name. If it has none, the note gets one.
func (o *Ops) idOfBlock(to *opened, words string) (string, error) {
	block, err := edit.FindBlock(to.note, words)
	if errors.Is(err, fault.NotFound) {
		block, err = edit.FindBlockByText(to.note, words)
	}
	if err != nil || block.ID != "" {
		return block.ID, err
	}
	for range maxIDs {
		id := o.newBlockID()
		if to.note.FindID(id) >= 0 {
			continue
		}
		to.splices, err = edit.NameBlock(to.note, block, id)
		return id, err
	}
	return "", fault.Internal.Errorf("no free block id found in %d attempts", maxIDs)
}

// randomBlockID returns six hexadecimal digits.
func randomBlockID() string {
	var random [3]byte
	rand.Read(random[:])
	return hex.EncodeToString(random[:])
}

// addBlockLink adds the link to the splices of its note.
func (o *Ops) addBlockLink(ctx context.Context, in LinkAdd, from *opened, target vpath.Path, subpath string) error {
	all, err := o.vault.Relinking(ctx)
	if err != nil {
		return err
	}
	link, err := edit.NewLinkToPart(all.Snapshot.Paths, from.file.Path, target, subpath, o.vault.Settings(ctx).Links, in.Text)
	if err != nil {
		return err
	}
	if in.Section == "" {
		from.splices = append(from.splices, edit.Append(from.note, link)...)
		return nil
	}
	section, err := findSection(ctx, from.note, in.Source, in.Section)
	if err != nil {
		return err
	}
	added, err := edit.AppendSection(from.note, section, link)
	from.splices = append(from.splices, added...)
	return err
}

// changesOf returns the changes of the note with the link and, if it changes too, of the note with the block.
func (o *Ops) changesOf(from, to *opened) ([]store.Change, error) {
	notes := []*opened{from}
	if to != from && len(to.splices) > 0 {
		notes = append(notes, to)
	}
	var changes []store.Change
	for _, note := range notes {
		after := md.Apply(note.file.Data, note.splices)
		if err := vault.CheckSize(note.file.Path, after); err != nil {
			return nil, err
		}
		changes = append(changes, store.Change{Path: note.file.Path, Base: note.file.Rev, Was: note.file.Data, Data: after})
	}
	return changes, nil
}

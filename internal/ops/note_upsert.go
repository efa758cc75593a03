package ops

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// NoteUpsert are the parameters of note_upsert.
type NoteUpsert struct {
	Path         string      `json:"path" jsonschema:"path from the vault's root; missing folders are created"`
	Content      string      `json:"content" jsonschema:"Markdown"`
	Frontmatter  tool.Object `json:"frontmatter" jsonschema:"properties of a new note" default:"{}"`
	ExpectedHash string      `json:"expected_hash" hidden:"true"`
}

// Upserted is the result of note_upsert.
type Upserted struct {
	tool.Meta `json:"-"`
	Created   bool `json:"created"`
}

var noteUpsert = tool.New(tool.Spec{
	Name: "note_upsert", Toolset: "agent", Title: "Create or append", Effect: tool.Adds,
	About: "Creates a note at an exact path, or appends to the note there (frontmatter is then ignored).",
}, (*Ops).NoteUpsert)

// NoteUpsert creates a note or appends to it.
func (o *Ops) NoteUpsert(ctx context.Context, in NoteUpsert) (Upserted, error) {
	for attempt := 1; ; attempt++ {
		result, err := o.upsertOnce(ctx, in)
		if (errors.Is(err, fault.AlreadyExists) || errors.Is(err, fault.NotFound)) && attempt < 10 {
			continue // it appeared or disappeared in the meantime
		}
		return result, err
	}
}

func (o *Ops) upsertOnce(ctx context.Context, in NoteUpsert) (Upserted, error) {
	s, path, exists, err := o.fileAt(ctx, in.Path)
	if err != nil {
		return Upserted{}, err
	}
	if !path.IsNote() {
		return Upserted{}, notMarkdown(in.Path)
	}
	policed := o.tags.policy == TagsStrict
	if exists {
		edited, err := o.vault.Edit(ctx, path, in.ExpectedHash, func(note *md.Note) ([]md.Splice, error) {
			splices := edit.AppendLine(note, in.Content)
			if !policed {
				return splices, o.tags.checkOwner(note, md.Scan(md.Apply(note.Source, splices)))
			}
			return splices, o.tags.checkEdit(ctx, s, path, note, splices)
		})
		return Upserted{Meta: changed(edited)}, err
	}
	if in.ExpectedHash != "" {
		return Upserted{}, vault.ExpectAbsent(path, in.ExpectedHash)
	}
	if path, err = o.newNotePath(ctx, s, in.Path, ""); err != nil {
		return Upserted{}, err
	}
	data, err := newAgentNote(in)
	if err == nil && policed {
		err = o.tags.checkNew(ctx, s, path, data)
	} else if err == nil {
		err = o.tags.checkOwner(md.Scan(nil), md.Scan(data))
	}
	if err == nil {
		err = vault.CheckSize(path, data)
	}
	if err != nil {
		return Upserted{}, err
	}
	if _, err := o.vault.Commit(ctx, []store.Change{{Path: path, Data: data}}); err != nil {
		return Upserted{}, err
	}
	return Upserted{tool.Meta{"hash": store.Hash(data), "path": string(path)}, true}, nil
}

func newAgentNote(in NoteUpsert) ([]byte, error) {
	value, err := front.FromJSON(in.Frontmatter)
	if err != nil {
		return nil, fault.InvalidArgument.Errorf("Invalid frontmatter JSON: %s", err)
	}
	return withProperties([]byte(in.Content), value.Fields)
}

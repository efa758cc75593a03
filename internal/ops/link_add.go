package ops

import (
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/tool"
)

// LinkAdd are the parameters of link_add.
type LinkAdd struct {
	Source       string `json:"source" jsonschema:"note that gets the link"`
	Target       string `json:"target" jsonschema:"note to link to; Note#^id for a block, Note#^words for the one with these words"`
	Section      string `json:"section" jsonschema:"heading to put it under; without it, the end of the note" default:""`
	Text         string `json:"text" jsonschema:"text that the link shows" default:""`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// LinkAdded is the result of link_add.
type LinkAdded struct {
	tool.Meta `json:"-"`
	Source    string `json:"source"`
	Target    string `json:"target"`
	Added     bool   `json:"added"`
}

var linkAdd = tool.New(tool.Spec{
	Name: "link_add", Toolset: "graph", Title: "Link two notes", Effect: tool.Adds, Idempotent: true,
	About: "Adds a link from one note to another, unless there already is one. Use insert_text to put a link at a place of your choice.",
}, (*Ops).LinkAdd)

// LinkAdd links two notes.
func (o *Ops) LinkAdd(ctx context.Context, in LinkAdd) (LinkAdded, error) {
	if strings.ContainsAny(in.Text, "\n\r|[]") {
		return LinkAdded{}, fault.InvalidArgument.Errorf("the link's text must be one line without |, [ and ]")
	}
	if note, words, isBlock := strings.Cut(withoutMarks(in.Target), "#^"); isBlock {
		return o.linkToBlock(ctx, in, note, words)
	}
	_, target, err := o.find(ctx, in.Target)
	if err != nil {
		return LinkAdded{}, err
	}
	settings := o.vault.Settings(ctx)
	all, err := o.vault.Relinking(ctx)
	if err != nil {
		return LinkAdded{}, err
	}
	_, source, err := o.findNote(ctx, in.Source)
	if err != nil {
		return LinkAdded{}, err
	}
	path, edited, err := o.edit(ctx, in.Source, in.ExpectedHash, func(s *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		if edit.LinksTo(s.Paths, source, note, target) {
			return nil, nil
		}
		link, err := edit.NewLink(all.Snapshot.Paths, source, target, settings.Links, in.Text)
		if err != nil {
			return nil, err
		}
		if in.Section == "" {
			return edit.Append(note, link), nil
		}
		section, err := findSection(ctx, note, in.Source, in.Section)
		if err != nil {
			return nil, err
		}
		return edit.AppendSection(note, section, link)
	})
	if err != nil {
		return LinkAdded{}, err
	}
	return LinkAdded{changed(edited), o.name(ctx, path), o.name(ctx, target), edited.Changed}, nil
}

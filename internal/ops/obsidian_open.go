package ops

import (
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/outside/obsidian"
	"obsidian-mcp/internal/tool"
)

// ObsidianOpen are the parameters of obsidian_open.
type ObsidianOpen struct {
	Name   string `json:"name" jsonschema:"note, canvas or other file to open" default:""`
	Search string `json:"search" jsonschema:"instead of a name: what to search for, in Obsidian's search language" default:""`
	NewTab bool   `json:"new_tab" jsonschema:"open it in a new tab" default:"false"`
}

// OpenedInApp is the result of obsidian_open.
type OpenedInApp struct {
	Opened string `json:"opened"`
	Link   string `json:"link"`
}

var obsidianOpen = tool.New(tool.Spec{
	Name: "obsidian_open", Toolset: "app", Title: "Open in Obsidian", Effect: tool.Reads, Idempotent: true, Needs: tool.NeedsApp,
	About: "Opens a note, file or search in the user's Obsidian app, and returns an obsidian:// link to it. Use it when the user wants to see something there; use read_note or find_notes to read or search yourself.",
}, (*Ops).ObsidianOpen)

// ObsidianOpen shows a file or a search in the app.
func (o *Ops) ObsidianOpen(ctx context.Context, in ObsidianOpen) (OpenedInApp, error) {
	switch {
	case (in.Name == "") == (in.Search == ""):
		return OpenedInApp{}, fault.InvalidArgument.Errorf("give either name or search")
	case in.Search != "" && in.NewTab:
		return OpenedInApp{}, fault.InvalidArgument.Errorf("new_tab is for files; a search has one place in Obsidian")
	case in.Search != "":
		opened := OpenedInApp{in.Search, obsidian.SearchLink(o.app.Selector(), in.Search)}
		return opened, offerLink(ctx, opened, o.app.Search(ctx, in.Search))
	}
	_, path, part, err := o.findFilePart(ctx, in.Name)
	if err != nil {
		return OpenedInApp{}, err
	}
	file := obsidian.File{Path: string(path), Part: part, NewTab: in.NewTab}
	opened := OpenedInApp{file.Path, file.Link(o.app.Selector())}
	if err := offerLink(ctx, opened, o.app.Open(ctx, file)); err != nil || part == "" {
		return opened, err
	}
	tool.AddHint(ctx, tool.HintSuggest, "Obsidian shows the beginning of the file; the link leads to '#%s'.", part)
	return opened, nil
}

// offerLink adds a hint to an error: on a machine that has the app, the link works all the same.
func offerLink(ctx context.Context, opened OpenedInApp, err error) error {
	if err != nil {
		tool.AddHint(ctx, tool.HintSuggest, "Offer the user this link, which opens it in Obsidian on their machine: %s", opened.Link)
	}
	return err
}

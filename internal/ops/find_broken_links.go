package ops

import (
	"context"

	"obsidian-mcp/internal/tool"
)

// FindBrokenLinks are the parameters of find_broken_links.
type FindBrokenLinks struct {
	Limit  int `json:"limit" jsonschema:"maximum number of results" default:"100"`
	Offset int `json:"offset" jsonschema:"results to skip, for the next page" default:"0"`
}

// BrokenLink is a link to a note that does not exist.
type BrokenLink struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

var findBrokenLinks = tool.New(tool.Spec{
	Name: "find_broken_links", Toolset: "notes", Title: "Find broken links", Effect: tool.Reads,
	About: "Lists links in the whole vault whose target does not exist. Use get_links for one note.",
}, (*Ops).FindBrokenLinks)

// FindBrokenLinks lists the vault's broken links.
func (o *Ops) FindBrokenLinks(ctx context.Context, in FindBrokenLinks) (tool.List[BrokenLink], error) {
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return tool.List[BrokenLink]{}, err
	}
	broken := s.Broken()
	part, err := page(broken, in.Limit, in.Offset)
	if err != nil {
		return tool.List[BrokenLink]{}, err
	}
	tool.ShownHint(ctx, len(part), in.Offset, len(broken))
	links := make([]BrokenLink, len(part))
	for i, link := range part {
		links[i] = BrokenLink{s.Name(link.From), link.Target}
	}
	return tool.List[BrokenLink]{Meta: tool.Meta{"total": len(broken)}, Items: links}, nil
}

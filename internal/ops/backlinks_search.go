package ops

import (
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// BacklinksSearch are the parameters of backlinks_search.
type BacklinksSearch struct {
	Name  string `json:"name" jsonschema:"name or path"`
	Limit int    `json:"limit" default:"50"`
}

// Backlinks is the result of backlinks_search.
type Backlinks struct {
	Name      string     `json:"name"`
	Backlinks []Backlink `json:"backlinks"`
	Total     int        `json:"total"`
}

// Backlink is a line that links to a note.
type Backlink struct {
	Source string `json:"source"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Text   string `json:"text"`
}

var backlinksSearch = tool.New(tool.Spec{
	Name: "backlinks_search", Toolset: "graph", Title: "Backlinks with their lines", Effect: tool.Reads,
	About: "Lists every link to a note with the line it is on. Use get_links for the names only.",
}, (*Ops).BacklinksSearch)

// BacklinksSearch shows where a note is linked from.
func (o *Ops) BacklinksSearch(ctx context.Context, in BacklinksSearch) (Backlinks, error) {
	if in.Limit < 0 {
		return Backlinks{}, fault.InvalidArgument.Errorf("limit must not be negative")
	}
	s, path, err := o.find(ctx, in.Name)
	if err != nil {
		return Backlinks{}, err
	}
	links := s.Backlinks(path)
	result := Backlinks{Name: s.Name(path), Backlinks: []Backlink{}, Total: len(links)}
	links = links[:min(in.Limit, len(links))]
	if len(links) < result.Total {
		tool.AddHint(ctx, tool.HintCut, "%d of %d shown; repeat with limit=%d for all.", len(links), result.Total, result.Total)
	}
	if ctx.Err() != nil {
		return Backlinks{}, ctx.Err()
	}
	for _, link := range links {
		line := shorten(strings.TrimSpace(s.Line(link.From, link.Line)))
		result.Backlinks = append(result.Backlinks, Backlink{s.Name(link.From), string(link.From), link.Line, line})
	}
	return result, nil
}

// maxLine is how many characters of a line are shown.
const maxLine = 500

func shorten(text string) string {
	if len(text) <= maxLine {
		return text
	}
	runes := []rune(text)
	if len(runes) <= maxLine {
		return text
	}
	return string(runes[:maxLine]) + "…"
}

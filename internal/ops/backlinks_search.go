package ops

import (
	"bytes"
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vpath"
)

// BacklinksSearch are the parameters of backlinks_search.
type BacklinksSearch struct {
	Name  string `json:"name" jsonschema:"note name or path"`
	Limit int    `json:"limit" jsonschema:"most results to return" default:"50"`
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
	Name: "backlinks_search", Toolset: "graph", Title: "Links to a note, with their lines", Effect: tool.Reads,
	About: "Lists every link to a note with the line that it stands in. Use get_links for the names alone.",
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
	var source lineReader
	for _, link := range links[:min(in.Limit, len(links))] {
		text, err := source.line(ctx, o, link)
		if err != nil {
			return Backlinks{}, err
		}
		result.Backlinks = append(result.Backlinks, Backlink{s.Name(link.From), string(link.From), link.Line, text})
	}
	return result, nil
}

// lineReader reads lines of one file after the other.
type lineReader struct {
	path  vpath.Path
	lines [][]byte
}

// line is the line that holds a link, as far as it is worth showing. A file
// that has gone since shows nothing.
func (r *lineReader) line(ctx context.Context, o *Ops, link index.Backlink) (string, error) {
	if r.path != link.From {
		r.path, r.lines = link.From, nil
		file, err := o.vault.Read(ctx, link.From, maxPart)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err == nil {
			r.lines = bytes.Split(file.Data, []byte("\n"))
		}
	}
	if link.Line > len(r.lines) {
		return "", nil
	}
	return shorten(strings.TrimSpace(readable(r.lines[link.Line-1]))), nil
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

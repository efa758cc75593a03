package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/tool"
)

// FindBrokenLinks are the parameters of find_broken_links.
type FindBrokenLinks struct {
	Kind    string `json:"kind" jsonschema:"note (any file), file (attachment), heading, block or all" default:"note"`
	Folder  string `json:"folder" jsonschema:"only links in notes of this folder" default:""`
	Suggest bool   `json:"suggest" jsonschema:"kind note: also path, line, link and what may be meant" default:"false"`
	Limit   int    `json:"limit" default:"100"`
	Offset  int    `json:"offset"`
}

// BrokenLink is a link whose target does not exist. The details are returned for kinds other than note, and on request.
type BrokenLink struct {
	Source string `json:"source"`
	Target string `json:"target"`

	Path        string    `json:"path,omitempty"`
	Line        int       `json:"line,omitempty"`
	Link        string    `json:"link,omitempty"`
	Kind        string    `json:"kind,omitempty"`
	Suggestions *[]string `json:"suggestions,omitempty"`
}

var findBrokenLinks = tool.New(tool.Spec{
	Name: "find_broken_links", Toolset: "notes", Title: "Find broken links", Effect: tool.Reads,
	About: "Lists broken links in the whole vault: to missing notes and files and, with kind, to missing headings and blocks; with suggestions for repair. Use get_links for one note.",
}, (*Ops).FindBrokenLinks)

// What a broken link is missing.
const (
	missesNote    = "note"
	missesFile    = "file"
	missesHeading = "heading"
	missesBlock   = "block"
	missesAny     = "all"
)

// brokenLink is a link in either of the index's lists.
type brokenLink struct {
	kind string
	from vpath.Path
	index.Written
	to vpath.Path // the note without the heading or block
}

// FindBrokenLinks lists the vault's broken links.
func (o *Ops) FindBrokenLinks(ctx context.Context, in FindBrokenLinks) (tool.List[BrokenLink], error) {
	kinds := []string{missesNote, missesHeading, missesBlock, missesFile, missesAny}
	if !slices.Contains(kinds, in.Kind) {
		return tool.List[BrokenLink]{}, fault.InvalidArgument.Errorf("Invalid kind: %s. Valid: %s", in.Kind, strings.Join(kinds, ", "))
	}
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return tool.List[BrokenLink]{}, err
	}
	detailed := in.Suggest || in.Kind != missesNote
	broken, err := brokenLinks(ctx, s, in.Kind, detailed)
	if err != nil {
		return tool.List[BrokenLink]{}, err
	}
	folder, err := findFolder(s, in.Folder)
	if err != nil {
		return tool.List[BrokenLink]{}, err
	}
	broken = slices.DeleteFunc(broken, func(link brokenLink) bool { return !link.from.In(folder) })
	part, err := page(broken, in.Limit, in.Offset)
	if err != nil {
		return tool.List[BrokenLink]{}, err
	}
	tool.ShownHint(ctx, len(part), in.Offset, len(broken))
	rows, repaired := make([]BrokenLink, len(part)), map[string]*[]string{}
	for i, link := range part {
		rows[i] = BrokenLink{Source: s.Name(link.from), Target: link.Target}
		if !detailed {
			continue
		}
		if ctx.Err() != nil {
			return tool.List[BrokenLink]{}, ctx.Err()
		}
		key := string(link.to) + "\n" + link.Target
		if repaired[key] == nil {
			repaired[key] = new(repairs(s, link))
		}
		rows[i].Path, rows[i].Line, rows[i].Link, rows[i].Kind = string(link.from), link.Line, link.Text, link.kind
		rows[i].Suggestions = repaired[key]
	}
	return tool.List[BrokenLink]{Meta: tool.Meta{"total": len(broken)}, Items: rows}, nil
}

// brokenLinks lists the broken links of a kind, by source: in detail each of them, otherwise each target of a source once.
func brokenLinks(ctx context.Context, s *index.Snapshot, kind string, detailed bool) ([]brokenLink, error) {
	var found []brokenLink
	for _, link := range s.Broken() {
		missing := missesNote
		if vpath.Path(link.Target).IsAttachment() {
			missing = missesFile
		}
		if kind == missing || kind == missesNote || kind == missesAny {
			found = append(found, brokenLink{kind: missing, from: link.From, Written: index.Written{Target: link.Target}})
		}
	}
	if detailed {
		found = occurrences(s, found)
	}
	if kind == missesNote || kind == missesFile {
		return found, nil
	}
	dangling, err := s.Dangling(ctx)
	for _, link := range dangling {
		missing := missesHeading
		if link.Block {
			missing = missesBlock
		}
		if kind == missing || kind == missesAny {
			found = append(found, brokenLink{missing, link.From, link.Written, link.To})
		}
	}
	order.Stably(found, func(a, b brokenLink) int { return cmp.Or(cmp.Compare(a.from, b.from), a.Line-b.Line) })
	return found, err
}

// occurrences replaces each target of a source by all links to it. The links of a source follow each other.
func occurrences(s *index.Snapshot, targets []brokenLink) []brokenLink {
	var found []brokenLink
	for len(targets) > 0 {
		from, kinds := targets[0].from, map[string]string{}
		for len(targets) > 0 && targets[0].from == from {
			kinds[targets[0].Target] = targets[0].kind
			targets = targets[1:]
		}
		for _, written := range s.Written(from) {
			path, _ := md.SplitTarget(written.Target)
			written.Target = strings.TrimSpace(path)
			if kind := kinds[written.Target]; kind != "" {
				found = append(found, brokenLink{kind: kind, from: from, Written: written})
			}
		}
	}
	return found
}

// repairs lists what a broken link may mean, the likeliest first.
func repairs(s *index.Snapshot, link brokenLink) []string {
	_, subpath := md.SplitTarget(link.Target)
	switch link.kind {
	case missesHeading:
		return s.SuggestHeadings(link.to, subpath[strings.LastIndexByte(subpath, '#')+1:], maxSuggested)
	case missesBlock:
		return s.SuggestBlocks(link.to, subpath[strings.LastIndexByte(subpath, '^')+1:], maxSuggested)
	case missesFile:
		return s.SuggestFiles(link.Target, maxSuggested)
	}
	names := []string{}
	for _, path := range s.SuggestByName(link.Target, maxSuggested) {
		names = append(names, s.Name(path))
	}
	return names
}

package edit

import (
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
)

// LinkStyle says how to write new links, following Obsidian's settings.
type LinkStyle struct {
	Format   LinkFormat
	Markdown bool // [text](path.md) rather than [[path]]
}

// NewLink returns a link from one file to another. The text may be empty.
func NewLink(set *vpath.Set, from, to vpath.Path, style LinkStyle, text string) (string, error) {
	relinker := &Relinker{before: set, after: set, format: style.Format}
	at := relinker.in(from)
	if !style.Markdown {
		if dest, ok := at.spelling(md.Link{Kind: md.WikiLink}, to, nil); ok {
			if text != "" {
				dest += "|" + text
			}
			return "[[" + dest + "]]", nil
		}
	}
	link := md.Link{Kind: md.MarkdownLink}
	dest, ok := at.spelling(link, to, nil)
	if !ok {
		return "", fault.InvalidArgument.Errorf("cannot write a link to '%s'", to).WithHint("rename it first")
	}
	if text == "" {
		text = to.Name()
	}
	return "[" + text + "](" + written(link, dest) + ")", nil
}

// LinksTo reports whether the body or the properties of a note link to a file.
func LinksTo(set *vpath.Set, path vpath.Path, note *md.Note, to vpath.Path) bool {
	resolver := set.From(path)
	for _, link := range note.Links {
		if found, ok := resolver.Resolve(link.Path(note.Source)); ok && found == to && link.Kind != md.Definition {
			return true
		}
	}
	block, err := front.Parse(note)
	if err != nil {
		return false
	}
	for _, link := range block.Links() {
		target, _ := md.SplitTarget(link.Target)
		if found, ok := resolver.Resolve(target); ok && found == to {
			return true
		}
	}
	return false
}

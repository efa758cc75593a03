package edit

import (
	"strings"

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
	return NewLinkToPart(set, from, to, "", style, text)
}

// NewLinkToPart returns a link from one file to a part of another, such as "#^id". A link into the same file has no path.
func NewLinkToPart(set *vpath.Set, from, to vpath.Path, subpath string, style LinkStyle, text string) (string, error) {
	relinker := &Relinker{before: set, after: set, format: style.Format}
	at := relinker.in(from)
	spell := func(link md.Link) (string, bool) {
		if from == to && subpath != "" {
			return "", true
		}
		return at.spelling(link, to, nil)
	}
	if !style.Markdown {
		if dest, ok := spell(md.Link{Kind: md.WikiLink}); ok {
			dest += subpath
			if text != "" {
				dest += "|" + text
			}
			return "[[" + dest + "]]", nil
		}
	}
	link := md.Link{Kind: md.MarkdownLink}
	dest, ok := spell(link)
	if !ok {
		return "", fault.InvalidArgument.Errorf("cannot write a link to '%s'", to).WithHint("rename it first")
	}
	if text == "" {
		text = to.Name()
	}
	return "[" + text + "](" + written(link, dest) + subpath + ")", nil
}

// LinksToPart reports whether the body of a note links to a part of a file; case does not matter.
func LinksToPart(set *vpath.Set, path vpath.Path, note *md.Note, to vpath.Path, subpath string) bool {
	resolver := set.From(path)
	for _, link := range note.Links {
		name, part := md.SplitTarget(link.Target(note.Source))
		if !strings.EqualFold(part, subpath) || link.Kind == md.Definition {
			continue
		}
		if found, ok := resolver.Resolve(name); ok && found == to {
			return true
		}
	}
	return false
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

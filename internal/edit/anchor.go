package edit

import (
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/md"
	"obsidian-mcp/internal/md/front"
	"obsidian-mcp/internal/vpath"
)

// Reanchor renames a heading or a block id of one note, and rewrites the
// subpaths of all links that point at it. Paths, texts and all else in the
// links stay.
type Reanchor struct {
	set    *vpath.Set
	path   vpath.Path
	own    md.Splice                           // in the note itself
	rename func(subpath string) (string, bool) // of a subpath with its #
}

// RenameHeading prepares to give a heading of the note at a path another text.
func RenameHeading(set *vpath.Set, path vpath.Path, note *md.Note, heading int, text string) (*Reanchor, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return nil, fault.InvalidArgument.Errorf("a heading is one line of text")
	}
	rename := func(subpath string) (string, bool) {
		chain := strings.Split(strings.TrimPrefix(subpath, "#"), "#")
		changed := false
		for i, found := range note.FindHeadings(chain) {
			if found == heading {
				chain[i], changed = linkText(text), true
			}
		}
		return "#" + strings.Join(chain, "#"), changed
	}
	own := md.Splice{Span: note.Headings[heading].Text, Text: []byte(text)}
	return &Reanchor{set: set, path: path, own: own, rename: rename}, nil
}

// RenameID prepares to give a block id of the note at a path another name.
func RenameID(set *vpath.Set, path vpath.Path, note *md.Note, id int, name string) (*Reanchor, error) {
	if name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return nil, fault.InvalidArgument.Errorf("a block id is made of Latin letters, digits and dashes")
	}
	if taken := note.FindID(name); taken >= 0 && taken != id {
		return nil, fault.AlreadyExists.Errorf("the note has a block ^%s already", name)
	}
	old := string(note.IDs[id].Name.Of(note.Source))
	rename := func(subpath string) (string, bool) {
		return "#^" + name, strings.EqualFold(subpath, "#^"+old)
	}
	own := md.Splice{Span: note.IDs[id].Name, Text: []byte(name)}
	return &Reanchor{set: set, path: path, own: own, rename: rename}, nil
}

// linkText is a heading's text as a link names it: without what would end or
// split the link.
func linkText(heading string) string {
	plain := strings.NewReplacer("%%", " ", "[[", " ", "]]", " ", "#", " ", "|", " ", "^", " ", ":", " ").Replace(heading)
	return strings.Join(strings.Fields(plain), " ")
}

// Note rewrites the links of a note; of the note concerned, the heading or the
// id too.
func (r *Reanchor) Note(path vpath.Path, note *md.Note) []md.Splice {
	resolver := r.set.From(path)
	splices := changeLinks(note, func(src []byte, link front.Link, quote func(string) string) []md.Splice {
		return r.rewrite(&resolver, src, link.Link, link.Target, quote)
	})
	for _, change := range r.inText(&resolver, note) {
		if path != r.path || change.End <= r.own.Start || change.Start >= r.own.End {
			splices = append(splices, change)
		}
	}
	if path == r.path {
		splices = append(splices, r.own)
	}
	return splices
}

func (r *Reanchor) inText(resolver *vpath.Resolver, note *md.Note) []md.Splice {
	var splices []md.Splice
	for _, link := range note.Links {
		splices = append(splices, r.rewrite(resolver, note.Source, link, link.Target(note.Source), keepText)...)
	}
	return splices
}

// rewrite changes the subpath of one link, if it leads to what is renamed.
func (r *Reanchor) rewrite(resolver *vpath.Resolver, src []byte, link md.Link, target string, quote func(string) string) []md.Splice {
	linkPath, subpath := md.SplitTarget(target)
	if subpath == "" {
		return nil
	}
	if found, ok := resolver.Resolve(linkPath); !ok || found != r.path {
		return nil
	}
	renamed, ok := r.rename(subpath)
	if !ok {
		return nil
	}
	if link.Kind != md.WikiLink {
		renamed = encode(renamed, link.Angled)
	}
	span := md.Span{Start: link.PathSpan(src).End, End: link.Dest.End}
	return []md.Splice{{Span: span, Text: []byte(quote(renamed))}}
}

// Canvas rewrites the links in a canvas' text cards and the subpaths of its
// file cards.
func (r *Reanchor) Canvas(path vpath.Path, src []byte) ([]md.Splice, error) {
	texts, err := md.ScanCanvas(src)
	if err != nil {
		return nil, err
	}
	resolver := r.set.From(path)
	var splices []md.Splice
	for _, text := range texts {
		var changes []md.Splice
		switch text.Kind {
		case md.CanvasMarkdown:
			changes = r.inText(&resolver, md.ScanText([]byte(text.Value)))
		case md.CanvasSubpath:
			if file, ok := r.set.Find(vpath.Path(text.File)); ok && file == r.path {
				if renamed, ok := r.rename(text.Value); ok {
					changes = []md.Splice{{Span: md.Span{End: len(text.Value)}, Text: []byte(renamed)}}
				}
			}
		}
		splices = append(splices, text.Splices(src, changes)...)
	}
	return splices, nil
}

package edit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
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
	if text == "" || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
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
	splices := rewriteNote(note, r.in(path))
	if path != r.path {
		return splices
	}
	inOwn := func(change md.Splice) bool { return change.End > r.own.Start && change.Start < r.own.End }
	return append(slices.DeleteFunc(splices, inOwn), r.own)
}

// pointing writes the links of one file that point at what is renamed.
type pointing struct {
	*Reanchor
	resolver vpath.Resolver
}

func (r *Reanchor) in(path vpath.Path) *pointing { return &pointing{r, r.set.From(path)} }

// write changes the subpath of one link, if it leads to what is renamed.
func (p *pointing) write(src []byte, link md.Link, target string, how way, quote func(string) string) (rewritten, bool) {
	linkPath, subpath := md.SplitTarget(target)
	if subpath == "" {
		return rewritten{}, false
	}
	if found, ok := p.resolver.Resolve(linkPath); !ok || found != p.path {
		return rewritten{}, false
	}
	renamed, ok := p.rename(subpath)
	if !ok {
		return rewritten{}, false
	}
	if how > usual {
		renamed = plainSubpath(renamed)
	}
	changed := rewritten{target: target[:len(target)-len(subpath)] + renamed}
	if link.Kind != md.WikiLink {
		renamed = encode(renamed, link.Angled)
	}
	span := md.Span{Start: link.PathSpan(src).End, End: link.Dest.End}
	changed.splices = []md.Splice{{Span: span, Text: []byte(quote(renamed))}}
	return changed, true
}

// plainSubpath takes out of a subpath what could be taken for a mark. The
// heading is found all the same: such characters count as space.
func plainSubpath(subpath string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("`$%<>[]()|\\~=*\"", r) {
			return ' '
		}
		return r
	}, subpath)
}

// Canvas rewrites the links in a canvas' text cards and the subpaths of its
// file cards.
func (r *Reanchor) Canvas(path vpath.Path, src []byte) ([]md.Splice, error) {
	texts, err := md.ScanCanvas(src)
	if err != nil {
		return nil, err
	}
	from := r.in(path)
	var splices []md.Splice
	for _, text := range texts {
		var changes []md.Splice
		switch text.Kind {
		case md.CanvasMarkdown:
			changes = rewriteCard(text.Value, from)
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

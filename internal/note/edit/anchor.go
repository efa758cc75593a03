package edit

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// Reanchor renames a heading or a block id of one note and rewrites the subpaths of all links to it. The paths and texts
// of the links stay.
type Reanchor struct {
	set    *vpath.Set
	path   vpath.Path
	own    md.Splice                           // the change in the note itself; without text if others make it
	rename func(subpath string) (string, bool) // takes and returns a subpath with its #
}

// RenameHeading returns a Reanchor that changes the text of a heading in the note at path.
func RenameHeading(set *vpath.Set, path vpath.Path, note *md.Note, heading int, text string) (*Reanchor, error) {
	text = strings.TrimSpace(text)
	if text == "" || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return nil, fault.InvalidArgument.Errorf("a heading must be one line of text")
	}
	span := note.Headings[heading].Text
	for _, id := range note.IDs { // an id at the end of the heading stays
		if span.Start < id.Name.Start && id.Name.End <= span.End {
			span.End = id.Name.Start - 1
		}
	}
	span.End = span.Start + len(bytes.TrimRight(span.Of(note.Source), " \t"))
	own := md.Splice{Span: span, Text: []byte(text)}
	text += string(note.Source[span.End:note.Headings[heading].Text.End])
	if err := checkHeading(md.Scan(md.Apply(note.Source, []md.Splice{own})), note, heading, text); err != nil {
		return nil, err
	}
	return &Reanchor{set: set, path: path, own: own, rename: renameHeadings(note, map[int]string{heading: text})}, nil
}

// renameHeadings returns a function that writes the new texts of headings, by their index, in subpaths.
func renameHeadings(note *md.Note, texts map[int]string) func(subpath string) (string, bool) {
	return func(subpath string) (string, bool) {
		chain := strings.Split(strings.TrimPrefix(subpath, "#"), "#")
		changed := false
		for i, found := range note.FindHeadings(chain) {
			if text, renamed := texts[found]; renamed {
				chain[i], changed = linkText(text), true
			}
		}
		return "#" + strings.Join(chain, "#"), changed
	}
}

// checkHeading refuses a text with which a line is not the same heading any more, or which links cannot name.
func checkHeading(after, before *md.Note, heading int, text string) error {
	if linkText(text) == "" {
		return fault.InvalidArgument.Errorf("no link could point to a heading '%s'", text).WithHint("use a letter or a digit")
	}
	if len(after.Headings) != len(before.Headings) || after.Headings[heading].Level != before.Headings[heading].Level ||
		string(after.Headings[heading].Text.Of(after.Source)) != text {
		return fault.InvalidArgument.Errorf("as '%s', the line would no longer be a heading", text)
	}
	return nil
}

// RenameID returns a Reanchor that changes the name of a block id in the note at path.
func RenameID(set *vpath.Set, path vpath.Path, note *md.Note, id int, name string) (*Reanchor, error) {
	if name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return nil, fault.InvalidArgument.Errorf("a block id may contain only Latin letters, digits and dashes")
	}
	if taken := note.FindID(name); taken >= 0 && taken != id {
		return nil, fault.AlreadyExists.Errorf("the note already has a block ^%s", name)
	}
	old := string(note.IDs[id].Name.Of(note.Source))
	rename := func(subpath string) (string, bool) {
		return "#^" + name, strings.EqualFold(subpath, "#^"+old)
	}
	own := md.Splice{Span: note.IDs[id].Name, Text: []byte(name)}
	return &Reanchor{set: set, path: path, own: own, rename: rename}, nil
}

// linkText returns the text of a heading for use in a link, without characters that would end or split the link.
func linkText(heading string) string {
	plain := strings.NewReplacer("%%", " ", "[[", " ", "]]", " ", "#", " ", "|", " ", "^", " ", ":", " ").Replace(heading)
	return strings.Join(strings.Fields(plain), " ")
}

// HeadingSubpath returns the subpath of a link to a heading.
func HeadingSubpath(text string) string { return "#" + linkText(text) }

// Note rewrites the links of a note and, in the note itself, the heading or the id.
func (r *Reanchor) Note(path vpath.Path, note *md.Note) []md.Splice {
	splices := rewriteNote(note, r.in(path))
	if path != r.path || r.own.Text == nil {
		return splices
	}
	inOwn := func(change md.Splice) bool { return change.End > r.own.Start && change.Start < r.own.End }
	return append(slices.DeleteFunc(splices, inOwn), r.own)
}

// anchorSource rewrites the links of one file to the renamed heading or id.
type anchorSource struct {
	anchor   *Reanchor
	resolver vpath.Resolver
}

func (r *Reanchor) in(path vpath.Path) *anchorSource { return &anchorSource{r, r.set.From(path)} }

// rewrite changes the subpath of one link if it points to the renamed heading or id.
func (s *anchorSource) rewrite(
	src []byte, link md.Link, target string, form linkForm, quote func(string) string,
) (rewritten, bool) {
	linkPath, subpath := md.SplitTarget(target)
	if subpath == "" {
		return rewritten{}, false
	}
	if found, ok := s.resolver.Resolve(linkPath); !ok || found != s.anchor.path {
		return rewritten{}, false
	}
	renamed, ok := s.anchor.rename(subpath)
	if !ok {
		return rewritten{}, false
	}
	if form > usual {
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

// plainSubpath replaces characters that could be marks by spaces. The link still finds its heading, because comparing
// headings ignores them.
func plainSubpath(subpath string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("`$%<>[]()|\\~=*\"", r) {
			return ' '
		}
		return r
	}, subpath)
}

// Canvas rewrites the links in the text cards of a canvas and the subpaths of its file cards.
func (r *Reanchor) Canvas(path vpath.Path, src []byte) ([]md.Splice, error) {
	from := r.in(path)
	return rewriteCanvas(src, func(text md.CanvasText) []md.Splice {
		switch text.Kind {
		case md.CanvasMarkdown:
			return rewriteCard(text.Value, from)
		case md.CanvasSubpath:
			file, ok := r.set.Find(vpath.Path(text.File))
			if !ok || file != r.path {
				return nil
			}
			if renamed, ok := r.rename(text.Value); ok {
				return []md.Splice{{Span: md.Span{End: len(text.Value)}, Text: []byte(renamed)}}
			}
		}
		return nil
	})
}

package edit

import (
	"path"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// Deletion says which links of one file lead to a file that is being deleted, and changes them.
type Deletion struct {
	Set     *vpath.Set // all paths, including the deleted one
	From    vpath.Path // the file with the links
	Deleted vpath.Path
	Spares  func(linkPath string) bool // selects links that stay as they are; may be nil
}

// finder returns a function that reports whether a link leads to the deleted file.
func (d Deletion) finder() func(linkPath string) bool {
	resolver := d.Set.From(d.From)
	return func(linkPath string) bool {
		if linkPath == "" {
			return false
		}
		found, ok := resolver.Resolve(linkPath)
		return ok && found == d.Deleted && (d.Spares == nil || !d.Spares(linkPath))
	}
}

// Mark changes each wikilink to the deleted file, in the body and the properties of a note, from [[B]] to
// [[B (deleted)]]. Subpath, text and the ! of an embed stay, and so do links of other kinds.
func (d Deletion) Mark(note *md.Note) []md.Splice { return rewriteNote(note, marker(d.finder())) }

// Unlink replaces each link to the deleted file, in the body and the properties of a note, by the text that it shows; an
// embed by the name of the file.
func (d Deletion) Unlink(note *md.Note) []md.Splice { return rewriteNote(note, unlinker(d.finder())) }

// UnlinkCanvas does the same in the text cards of a canvas. Cards that show the file stay.
func (d Deletion) UnlinkCanvas(src []byte) ([]md.Splice, error) {
	unlink := unlinker(d.finder())
	return rewriteCanvas(src, func(text md.CanvasText) []md.Splice {
		if text.Kind != md.CanvasMarkdown {
			return nil
		}
		return rewriteCard(text.Value, unlink)
	})
}

// deletedMark is appended to the name in a link to a deleted note.
const deletedMark = " (deleted)"

// marker marks the links that it selects.
type marker func(linkPath string) bool

// rewrite needs only the usual form: the mark does not change how the link interacts with the text around it.
func (m marker) rewrite(src []byte, link md.Link, target string, _ linkForm, _ func(string) string) (rewritten, bool) {
	linkPath, subpath := md.SplitTarget(target)
	if link.Kind != md.WikiLink || !m(linkPath) {
		return rewritten{}, false
	}
	span := link.PathSpan(src)
	splices := insert(span.Start+nameEnd(string(span.Of(src))), deletedMark)
	end := nameEnd(target[:len(target)-len(subpath)])
	return rewritten{splices: splices, target: target[:end] + deletedMark + target[end:]}, true
}

// nameEnd returns where the name in a link's path ends, before its extension.
func nameEnd(linkPath string) int {
	name := strings.TrimRight(linkPath, " \t")
	if ext := len(name) - len(vpath.NoteExt); ext > 0 && strings.EqualFold(name[ext:], vpath.NoteExt) {
		return ext
	}
	return len(name)
}

// unlinker turns the links that it selects into text.
type unlinker func(linkPath string) bool

func (u unlinker) rewrite(src []byte, link md.Link, target string, form linkForm, quote func(string) string) (rewritten, bool) {
	linkPath, subpath := md.SplitTarget(target)
	if link.Kind == md.Definition || !u(linkPath) {
		return rewritten{}, false
	}
	var shown string
	switch {
	case link.Embed:
		shown = quote(path.Base(linkPath) + subpath)
	case link.HasText && link.Text.Len() > 0:
		shown = string(link.Text.Of(src))
	default:
		shown = quote(md.DisplayTarget(target))
	}
	if form >= encoded {
		shown = withoutMarks.Replace(shown)
	}
	return rewritten{splices: []md.Splice{{Span: md.Span{Start: link.Start, End: link.End}, Text: []byte(shown)}}, gone: true}, true
}

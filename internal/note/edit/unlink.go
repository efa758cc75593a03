package edit

import (
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// deletedMark is appended to the name in a link to a deleted note.
const deletedMark = " (deleted)"

// MarkDeleted changes each wikilink to a note that is being deleted, in the body and the properties, from [[B]] to
// [[B (deleted)]]. Subpath, text and the ! of an embed stay, and so do other kinds of links and those that spares selects.
func MarkDeleted(
	set *vpath.Set, path vpath.Path, note *md.Note, deleted vpath.Path, spares func(linkPath string) bool,
) []md.Splice {
	return rewriteNote(note, &deletionMarker{set.From(path), deleted, spares})
}

// deletionMarker marks the links of one file to a deleted note.
type deletionMarker struct {
	resolver vpath.Resolver
	deleted  vpath.Path
	spares   func(linkPath string) bool
}

// rewrite marks one link if it points to the note. It needs only the usual form: the mark does not change how the link
// interacts with the text around it.
func (d *deletionMarker) rewrite(
	src []byte, link md.Link, target string, _ linkForm, _ func(string) string,
) (rewritten, bool) {
	linkPath, subpath := md.SplitTarget(target)
	if link.Kind != md.WikiLink || linkPath == "" {
		return rewritten{}, false
	}
	found, ok := d.resolver.Resolve(linkPath)
	if !ok || found != d.deleted || d.spares != nil && d.spares(linkPath) {
		return rewritten{}, false
	}
	span := link.PathSpan(src)
	splices := insert(span.Start+nameEnd(string(span.Of(src))), deletedMark)
	end := nameEnd(target[:len(target)-len(subpath)])
	return rewritten{splices, target[:end] + deletedMark + target[end:]}, true
}

// nameEnd returns where the name in a link's path ends, before its extension.
func nameEnd(linkPath string) int {
	name := strings.TrimRight(linkPath, " \t")
	if ext := len(name) - len(vpath.NoteExt); ext > 0 && strings.EqualFold(name[ext:], vpath.NoteExt) {
		return ext
	}
	return len(name)
}

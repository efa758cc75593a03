package edit

import (
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// deletedMark is what the name in a link to a deleted note ends in.
const deletedMark = " (deleted)"

// MarkDeleted turns each wikilink to a note that is going away, in the body
// and in the properties, from [[B]] into [[B (deleted)]]. Its subpath, its
// text and an embed's ! stay. Links of other kinds stay as they are, and so do
// those whose paths are to be spared.
func MarkDeleted(set *vpath.Set, path vpath.Path, note *md.Note, gone vpath.Path, spares func(linkPath string) bool) []md.Splice {
	return rewriteNote(note, &farewell{set.From(path), gone, spares})
}

// farewell marks the links of one file to a note that is going away.
type farewell struct {
	resolver vpath.Resolver
	gone     vpath.Path
	spares   func(linkPath string) bool
}

// write marks one link, if it means the note. The mark needs no other way than
// the usual: a text that ran into the link did so before.
func (f *farewell) write(src []byte, link md.Link, target string, _ way, _ func(string) string) (rewritten, bool) {
	linkPath, subpath := md.SplitTarget(target)
	if link.Kind != md.WikiLink || linkPath == "" {
		return rewritten{}, false
	}
	if found, ok := f.resolver.Resolve(linkPath); !ok || found != f.gone || f.spares != nil && f.spares(linkPath) {
		return rewritten{}, false
	}
	span := link.PathSpan(src)
	splices := insert(span.Start+nameEnd(string(span.Of(src))), deletedMark)
	end := nameEnd(target[:len(target)-len(subpath)])
	return rewritten{splices, target[:end] + deletedMark + target[end:]}, true
}

// nameEnd is where the name in a link's path ends, before a written extension.
func nameEnd(linkPath string) int {
	name := strings.TrimRight(linkPath, " \t")
	if ext := len(name) - len(vpath.NoteExt); ext > 0 && strings.EqualFold(name[ext:], vpath.NoteExt) {
		return ext
	}
	return len(name)
}

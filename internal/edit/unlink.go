package edit

import (
	"strings"

	"obsidian-mcp/internal/md"
	"obsidian-mcp/internal/md/front"
	"obsidian-mcp/internal/vpath"
)

// deletedMark is what the name in a link to a deleted note ends in.
const deletedMark = " (deleted)"

// MarkDeleted turns each wikilink to a note that is going away, in the body
// and in the properties, from [[B]] into [[B (deleted)]]. Its subpath, its
// text and an embed's ! stay. Links of other kinds stay as they are, and so do
// those whose paths are to be spared.
func MarkDeleted(set *vpath.Set, path vpath.Path, note *md.Note, gone vpath.Path, spares func(linkPath string) bool) []md.Splice {
	resolver := set.From(path)
	means := func(link md.Link, target string) bool {
		linkPath, _ := md.SplitTarget(target)
		if link.Kind != md.WikiLink || linkPath == "" {
			return false
		}
		found, ok := resolver.Resolve(linkPath)
		return ok && found == gone && (spares == nil || !spares(linkPath))
	}
	splices := changeLinks(note, func(src []byte, link front.Link, _ func(string) string) []md.Splice {
		if means(link.Link, link.Target) {
			return []md.Splice{markDeleted(src, link.Link)}
		}
		return nil
	})
	for _, link := range note.Links {
		if means(link, link.Target(note.Source)) {
			splices = append(splices, markDeleted(note.Source, link))
		}
	}
	return splices
}

// markDeleted puts the mark behind the name, before a written extension.
func markDeleted(src []byte, link md.Link) md.Splice {
	span := link.PathSpan(src)
	text := strings.TrimRight(string(span.Of(src)), " \t")
	at := span.Start + len(text)
	if ext := len(text) - len(vpath.NoteExt); ext > 0 && strings.EqualFold(text[ext:], vpath.NoteExt) {
		at -= len(vpath.NoteExt)
	}
	return md.Splice{Span: md.Span{Start: at, End: at}, Text: []byte(deletedMark)}
}

package ops

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// withEdits adds the edits that make links of mentions.
func (r *report) withEdits(items []ReportItem) ([]ReportItem, error) {
	all, err := r.ops.vault.Relinking(r.ctx)
	if err != nil {
		return nil, err
	}
	style := r.ops.vault.Settings(r.ctx).Links
	for start := 0; start < len(items); {
		end := start + 1
		for end < len(items) && items[end].Path == items[start].Path {
			end++
		}
		r.s.View(vpath.Path(items[start].Path), func(source []byte) {
			if !utf8.Valid(source) {
				return // no tool edits such a note
			}
			note := md.Scan(source)
			for i := start; i < end && r.ctx.Err() == nil; i++ {
				if link, ok := linkOf(all.Snapshot.Paths, note, items[i], style); ok {
					items[i].Edit = replacement(note, items[i].at, link)
				}
			}
		})
		start = end
	}
	return items, r.ctx.Err()
}

// linkOf is the link that a mention becomes; false if the name does not allow one.
func linkOf(paths *vpath.Set, note *md.Note, item ReportItem, style edit.LinkStyle) (string, bool) {
	target, text := vpath.Path(item.Note), item.Text
	if strings.ContainsAny(text, "[]|\n") {
		return "", false
	}
	if text == target.Name() {
		text = ""
	}
	link, err := edit.NewLink(paths, vpath.Path(item.Path), target, style, text)
	isInTable := slices.ContainsFunc(note.Blocks, func(block md.Block) bool {
		return block.Kind == md.Table && block.Start <= item.at.Start && item.at.Start < block.End
	})
	if isInTable {
		link = strings.ReplaceAll(link, "|", `\|`)
	}
	return link, err == nil
}

// contextBytes is how many bytes before a mention its edit has, if its line has them; words are not cut.
const contextBytes = 24

// replacement is the edit of replace_text, which changes the first occurrence of a text, that puts a link in a place: with as
// much of the text before it as it needs to be the first, and to stay so when other mentions have become links.
func replacement(note *md.Note, span md.Span, link string) *ReportEdit {
	source, body := note.Source, note.Source[note.Body:]
	lineStart := func(at int) int { return max(note.Body, bytes.LastIndexByte(source[:at], '\n')+1) }
	start := max(lineStart(span.Start), span.Start-contextBytes)
	if blank := bytes.IndexByte(source[start:span.Start], ' '); start > lineStart(span.Start) && blank >= 0 {
		start += blank + 1
	}
	for start > note.Body && !utf8.RuneStart(source[start]) {
		start--
	}
	for bytes.Index(body, source[start:span.End]) != start-note.Body {
		if line := lineStart(start); line < start {
			start = line
		} else {
			start = lineStart(start - 1) // the line before; the body's start is the last
		}
	}
	return &ReportEdit{OldText: string(source[start:span.End]), NewText: string(source[start:span.Start]) + link}
}

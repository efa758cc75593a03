package ops

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/embed"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// ReadNote are the parameters of read_note.
type ReadNote struct {
	Name      string `json:"name" jsonschema:"name or path"`
	StartLine int    `json:"start_line" jsonschema:"first line, counting from 1" default:"1"`
	MaxLines  int    `json:"max_lines" jsonschema:"number of lines; 0: all" default:"0"`
	Embeds    bool   `json:"embeds" jsonschema:"show embedded notes, and results of dataview and base blocks" default:"false"`
	Revision  string `json:"revision" jsonschema:"this side of a sync conflict, from _meta.conflicts" default:""`
}

var readNote = tool.New(tool.Spec{
	Name: "read_note", Toolset: "notes", Title: "Read a note", Effect: tool.Reads,
	About: "Returns the full text of a note, frontmatter included, or some of its lines. Use read_section for one heading, note_read for a path that may not exist.",
}, (*Ops).ReadNote)

// ReadNote returns a note's text.
func (o *Ops) ReadNote(ctx context.Context, in ReadNote) (tool.Text, error) {
	if in.StartLine < 1 || in.MaxLines < 0 {
		return tool.Text{}, fault.InvalidArgument.Errorf("start_line counts from 1, and max_lines must not be negative")
	}
	s, path, part, err := o.findPart(ctx, in.Name)
	if err != nil {
		return tool.Text{}, err
	}
	file, err := o.readSide(ctx, in.Name, path, store.Rev(in.Revision))
	if err != nil {
		return tool.Text{}, err
	}
	if part != "" {
		notePart(ctx, path, file.Data)
		return o.readPart(ctx, s, file, path, in, part)
	}
	text, total, err := lines(file.Data, in)
	if err != nil {
		return tool.Text{}, err
	}
	if len(text) > vault.MaxNote {
		return tool.Text{}, fault.InvalidArgument.Errorf("'%s' is too large to read at once: %d bytes in %d lines. "+
			"Use read_section, or read some lines with start_line and max_lines", in.Name, len(file.Data), total)
	}
	cut := false
	if in.MaxLines == 0 {
		text, cut = o.cutReading(ctx, path, text, in.StartLine, total)
	}
	if in.Revision == "" {
		noteLines(ctx, path, file.Data, text, in.StartLine, cut)
	}
	if in.Embeds && path.IsNote() {
		start := lineOffset(file.Data, in.StartLine)
		shown := embed.Part{Path: path, Note: md.Scan(file.Data), Span: md.Span{Start: start, End: start + len(text)}}
		if text, err = o.withEmbeds(ctx, s, shown); err != nil {
			return tool.Text{}, err
		}
	}
	o.hintConflict(ctx, path, file.Conflicts)
	meta := withConflicts(file.Conflicts, tool.Meta{"hash": store.Hash(file.Data), "lines": total})
	return tool.Text{Meta: meta, Text: readable(text)}, nil
}

// cutReading cuts a text at the limit for reading, at the end of a line, and says how to read on. A single line that is
// longer is cut at a character.
func (o *Ops) cutReading(ctx context.Context, path vpath.Path, text []byte, first, total int) (shown []byte, cut bool) {
	if o.readLimit <= 0 || len(text) <= o.readLimit {
		return text, false
	}
	end := cutAt(text, o.readLimit)
	if end == len(text) {
		return text, false
	}
	newline := bytes.LastIndexByte(text[:end], '\n')
	if newline < 0 {
		tool.AddHint(ctx, tool.HintCut, "Line %d is cut at %d characters; the whole note: %s", first, o.readLimit, o.uris.Of(path))
		return text[:end], true
	}
	text = text[:newline+1]
	last := first + bytes.Count(text, []byte("\n")) - 1
	tool.AddHint(ctx, tool.HintCut, "Lines %d-%d of %d shown; continue with start_line=%d.", first, last, total, last+1)
	return text, true
}

// readPart returns a section or block of a note.
func (o *Ops) readPart(ctx context.Context, s *index.Snapshot, file store.File, path vpath.Path, in ReadNote, part string) (tool.Text, error) {
	if err := onlyNotes(in.Name, path, nil); err != nil {
		return tool.Text{}, err
	}
	note := md.Scan(file.Data)
	text, err := partOf(ctx, note, in.Name, part)
	if err == nil && in.Embeds {
		text, err = o.partWithEmbeds(ctx, s, path, note, in.Name, part)
	}
	if err != nil {
		return tool.Text{}, err
	}
	return tool.Text{Meta: withConflicts(file.Conflicts, tool.Meta{"hash": store.Hash(file.Data)}), Text: readable([]byte(text))}, nil
}

// partOf returns the text of a section, or of the block that an id names.
func partOf(ctx context.Context, note *md.Note, name, part string) (string, error) {
	if isBlockID(part) {
		block, err := findBlock(ctx, note, name, part)
		if err != nil {
			return "", err
		}
		return edit.BlockText(note, block), nil
	}
	section, err := findSection(ctx, note, name, part)
	if err != nil {
		return "", err
	}
	return edit.SectionText(note, section), nil
}

// maxPart is the largest file that tools read a part of.
const maxPart = 64 << 20

// readText reads a text file.
func (o *Ops) readText(ctx context.Context, name string, path vpath.Path, limit int64) (store.File, error) {
	if err := checkText(name, path); err != nil {
		return store.File{}, err
	}
	file, err := o.vault.Read(ctx, path, limit)
	if errors.Is(err, fault.NotFound) {
		err = index.NotFound(name)
	}
	return file, err
}

// checkText refuses a file of a type without text.
func checkText(name string, path vpath.Path) error {
	switch path.Ext() {
	case vpath.NoteExt, ".canvas", ".base":
		return nil
	}
	return fault.InvalidArgument.Errorf("'%s' is an attachment and has no text", name).WithHint("use read_file")
}

// lines returns the requested lines, and the number of all lines.
func lines(data []byte, in ReadNote) (part []byte, total int, err error) {
	total = lineCount(data)
	if in.StartLine == 1 && in.MaxLines == 0 {
		return data, total, nil
	}
	if in.StartLine > max(total, 1) {
		return nil, 0, fault.InvalidArgument.Errorf("start_line %d is beyond the end: '%s' has %d lines", in.StartLine, in.Name, total)
	}
	data = data[lineOffset(data, in.StartLine):]
	end := len(data)
	if in.MaxLines > 0 {
		end = 0
		for range in.MaxLines {
			next := bytes.IndexByte(data[end:], '\n')
			if next < 0 {
				end = len(data)
				break
			}
			end += next + 1
		}
	}
	return data[:end], total, nil
}

// lineOffset returns where a line starts.
func lineOffset(data []byte, line int) int {
	offset := 0
	for range line - 1 {
		offset += bytes.IndexByte(data[offset:], '\n') + 1
	}
	return offset
}

// readable replaces bytes that are not UTF-8, since JSON cannot hold them.
func readable(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return strings.ToValidUTF8(string(text), "\ufffd")
}

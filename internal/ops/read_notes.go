package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/embed"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/text/tokens"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// ReadNotes are the parameters of read_notes.
type ReadNotes struct {
	Names     []string `json:"names" jsonschema:"up to 50 note names or paths; Name#Heading or Name#^id for a part"`
	Outline   bool     `json:"outline" jsonschema:"the headings with their lines instead of the text" default:"false"`
	Embeds    bool     `json:"embeds" jsonschema:"also embedded notes, and results of query blocks" default:"false"`
	MaxTokens int      `json:"max_tokens" jsonschema:"about how much to return in all" default:"20000"`
}

// NotesRead is the result of read_notes.
type NotesRead struct {
	Notes   []NoteText `json:"notes"`
	LeftOut []string   `json:"left_out"`
}

// NoteText is a note in the result of read_notes, or why it could not be read.
type NoteText struct {
	Name      string  `json:"name"`
	Path      string  `json:"path,omitempty"`
	Content   *string `json:"content,omitempty"`
	Hash      string  `json:"hash,omitempty"`
	Truncated bool    `json:"truncated,omitempty"`
	Error     string  `json:"error,omitempty"`
}

var readNotes = tool.New(tool.Spec{
	Name: "read_notes", Toolset: "vault", Title: "Read several notes", Effect: tool.Reads,
	About: "Returns the text or the outline of several notes in one call. Names that cannot be read get an error. Use read_note for lines of one long note.",
}, (*Ops).ReadNotes)

const (
	maxNames = 50
	// minShare is how many tokens must be left for a note to be shown in part.
	minShare = 100
)

// ReadNotes returns several notes, as much of them as fits.
func (o *Ops) ReadNotes(ctx context.Context, in ReadNotes) (NotesRead, error) {
	switch {
	case len(in.Names) == 0:
		return NotesRead{}, fault.InvalidArgument.Errorf("names is empty")
	case len(in.Names) > maxNames:
		return NotesRead{}, fault.InvalidArgument.Errorf("names has %d entries; at most %d notes are read at once", len(in.Names), maxNames)
	case in.MaxTokens < 1:
		return NotesRead{}, fault.InvalidArgument.Errorf("max_tokens must be at least 1")
	}
	result := NotesRead{Notes: []NoteText{}, LeftOut: []string{}}
	left := in.MaxTokens
	seen := map[string]string{} // what was asked for by which name
	for start := 0; start < len(in.Names); start += readAhead {
		batch := in.Names[start:min(start+readAhead, len(in.Names))]
		for i, wanted := range o.findWanted(ctx, batch, seen) {
			if left < minShare && left < in.MaxTokens {
				result.LeftOut = append(result.LeftOut, in.Names[start+i:]...)
				tool.AddHint(ctx, tool.HintCut, "%d of %d notes shown; call again with the names in left_out.", len(result.Notes), len(in.Names))
				return result, nil
			}
			shown, err := o.shownOf(ctx, wanted, in, left)
			if err != nil {
				shown = NoteText{Name: wanted.name, Error: err.Error()}
			}
			if shown.Content != nil {
				left -= tokens.Of([]byte(*shown.Content))
			}
			result.Notes = append(result.Notes, shown)
		}
	}
	return result, nil
}

// readAhead is how many notes are read at once. A database needs one request for all of them.
const readAhead = 10

// wantedNote is a note that was asked for.
type wantedNote struct {
	name string // as it was given
	s    *index.Snapshot
	path vpath.Path
	part string
	file store.File
	err  error
}

// findWanted finds and reads notes.
func (o *Ops) findWanted(ctx context.Context, names []string, seen map[string]string) []wantedNote {
	all := make([]wantedNote, len(names))
	var paths []vpath.Path
	for i, name := range names {
		found := &all[i]
		found.name = name
		finding, hints := tool.CollectHints(ctx)
		found.s, found.path, found.part, found.err = o.findPart(finding, name)
		if found.err == nil {
			found.err = checkText(name, found.path)
		}
		key := string(found.path) + "#" + found.part
		earlier, twice := seen[key]
		switch {
		case found.err != nil:
			found.err = withHints(found.err, hints())
		case twice:
			found.err = fault.InvalidArgument.Errorf("it is the same as '%s', which is shown above", earlier)
		default:
			seen[key] = name
			paths = append(paths, found.path)
		}
	}
	read := o.vault.ReadMany(ctx, paths, vault.MaxNote)
	for i := range all {
		if all[i].err != nil {
			continue
		}
		all[i].file, all[i].err = read[0].File, read[0].Err
		if errors.Is(all[i].err, fault.NotFound) {
			all[i].err = index.NotFound(all[i].name)
		}
		read = read[1:]
	}
	return all
}

// withHints adds hints to an error: the hints of a call cannot say which of many names they are about.
func withHints(err error, hints []tool.Hint) error {
	message := err.Error()
	for _, hint := range hints {
		message += ". " + hint.Text
	}
	return &fault.Error{Kind: fault.KindOf(err), Message: message, Err: err}
}

// shownOf returns as much of a note as fits.
func (o *Ops) shownOf(ctx context.Context, wanted wantedNote, in ReadNotes, left int) (NoteText, error) {
	if wanted.err != nil {
		return NoteText{}, wanted.err
	}
	data := wanted.file.Data
	shown := NoteText{Name: wanted.s.Name(wanted.path), Path: string(wanted.path), Hash: store.Hash(data)}
	if wanted.part != "" {
		shown.Name += "#" + wanted.part
	}
	text, err := o.textOf(ctx, wanted, in, left)
	if err != nil {
		return NoteText{}, err
	}
	whole := len(text)
	if end := tokens.Fit(text, left); end < whole {
		if newline := bytes.LastIndexByte(text[:end], '\n'); newline >= 0 {
			end = newline + 1
		}
		text, shown.Truncated = text[:end], true
		if wanted.part == "" && !in.Outline && !in.Embeds {
			tool.AddHint(ctx, tool.HintCut, "'%s' is cut; continue with read_note and start_line=%d.", shown.Name, lineCount(text)+1)
		}
	}
	switch {
	case wanted.part == "" && !in.Outline && !in.Embeds:
		noteLines(ctx, wanted.path, data, text, 1, shown.Truncated)
	case !in.Outline:
		notePart(ctx, wanted.path, data)
	}
	content := readable(text)
	shown.Content = &content
	return shown, nil
}

// textOf returns what was asked for of a note.
func (o *Ops) textOf(ctx context.Context, wanted wantedNote, in ReadNotes, left int) ([]byte, error) {
	if wanted.part != "" || in.Outline || in.Embeds {
		if err := onlyNotes(wanted.name, wanted.path, nil); err != nil {
			return nil, err
		}
	}
	if wanted.part == "" && !in.Outline && !in.Embeds {
		return wanted.file.Data, nil
	}
	note := md.Scan(wanted.file.Data)
	part := embed.Part{Path: wanted.path, Note: note, Span: md.Span{Start: 0, End: len(note.Source)}}
	if wanted.part != "" {
		finding, hints := tool.CollectHints(ctx)
		found, err := partSpan(finding, note, wanted.s.Name(wanted.path), wanted.part)
		if err != nil {
			return nil, withHints(err, hints())
		}
		found.Path = wanted.path
		part = found
	}
	switch {
	case in.Outline:
		return outlineOf(note, part.Span), nil
	case in.Embeds:
		result, err := embed.Expand(o.vault.Embeds(ctx, wanted.s), part, left*4)
		if err != nil {
			return nil, err
		}
		return o.withQueries(ctx, wanted.s, wanted.path, result.Text)
	}
	text, err := partOf(ctx, note, wanted.name, wanted.part)
	return []byte(text), err
}

// outlineOf lists the headings within a span with their lines.
func outlineOf(note *md.Note, within md.Span) []byte {
	var outline bytes.Buffer
	line, at := 1, 0
	for _, heading := range note.Headings {
		line += bytes.Count(note.Source[at:heading.Start], []byte("\n"))
		at = heading.Start
		if heading.Start >= within.Start && heading.Start < within.End {
			fmt.Fprintf(&outline, "%d: %s %s\n", line, strings.Repeat("#", heading.Level), heading.Text.Of(note.Source))
		}
	}
	return outline.Bytes()
}

package ops

import (
	"bytes"
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// guard says what an edit replaces, and so what its caller must know about the note.
type guard uint8

const (
	unguarded   guard = iota // adds to the note, or names the text that it replaces
	guardsPart               // replaces a part of the note
	guardsWhole              // replaces all of it
)

// editShown changes a note as edit does, unless somebody else has changed it since the caller was shown it.
func (o *Ops) editShown(ctx context.Context, name, expected string, replaces guard, change editing) (vpath.Path, vault.Edited, error) {
	return o.editAt(ctx, name, expected, func(s *index.Snapshot, path vpath.Path, note *md.Note) ([]md.Splice, error) {
		if err := checkFresh(ctx, path, note.Source, expected, replaces); err != nil {
			return nil, err
		}
		return change(s, note)
	})
}

// maxStaleDiff is how many lines of a diff a refusal shows.
const maxStaleDiff = 20

// checkFresh refuses to replace text that the caller does not know: because somebody else changed the note since it was
// shown, or because a limit cut what was shown. A caller that gives the hash it expects, or that was never shown the
// note, is not held back.
func checkFresh(ctx context.Context, path vpath.Path, now []byte, expected string, replaces guard) error {
	shown, ok := call.ShownOf(ctx, string(path))
	if !ok || expected != "" || replaces == unguarded {
		return nil
	}
	if shown.Hash != store.Hash(now) {
		if shown.Text != nil {
			lines := strings.SplitAfter(unified("then", shown.Text, "now", now), "\n")
			tool.ClearHints(ctx, tool.HintSuggest)
			tool.AddHint(ctx, tool.HintSuggest, "%s", readable([]byte(strings.Join(lines[:min(maxStaleDiff, len(lines))], ""))))
		}
		return stale("'%s' changed since you read it. Read it again.", path.Name())
	}
	if total := lineCount(now); replaces == guardsWhole && shown.Cut && shown.Seen < total {
		return stale("Only lines 1-%d of %d of '%s' were shown. Read the rest, or use update_section.", shown.Seen, total, path.Name())
	}
	return nil
}

// stale is a conflict that trying again does not solve.
func stale(format string, args ...any) error {
	err := fault.Conflict.Errorf(format, args...)
	err.Err = vault.ErrChangedSince
	return err
}

// noteShown remembers that the caller was shown a file.
func noteShown(ctx context.Context, path vpath.Path, data []byte) {
	call.NoteShown(ctx, string(path), call.Shown{Hash: store.Hash(data), Text: data})
}

// notePart remembers that the caller was shown a part of a file. It knows no more than before whether the rest was cut.
func notePart(ctx context.Context, path vpath.Path, data []byte) {
	next := call.Shown{Hash: store.Hash(data), Text: data}
	if shown, known := call.ShownOf(ctx, string(path)); known && shown.Hash == next.Hash {
		next.Cut, next.Seen = shown.Cut, shown.Seen
	}
	call.NoteShown(ctx, string(path), next)
}

// noteLines remembers that the caller was shown lines of a file from first on, and whether a limit cut them. Lines that
// follow what a limit had cut complete it.
func noteLines(ctx context.Context, path vpath.Path, data, lines []byte, first int, cut bool) {
	last := first + lineCount(lines) - 1
	if cut && !bytes.HasSuffix(lines, []byte("\n")) {
		last-- // its last line is incomplete
	}
	next := call.Shown{Hash: store.Hash(data), Text: data}
	shown, known := call.ShownOf(ctx, string(path))
	switch same := known && shown.Hash == next.Hash; {
	case first == 1 && cut:
		next.Cut, next.Seen = true, last
	case same && shown.Cut && first <= shown.Seen+1:
		next.Seen = max(last, shown.Seen)
		next.Cut = next.Seen < lineCount(data)
	case same:
		next.Cut, next.Seen = shown.Cut, shown.Seen
	}
	call.NoteShown(ctx, string(path), next)
}

// lineCount is the number of lines of a text.
func lineCount(data []byte) int {
	total := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		total++
	}
	return total
}

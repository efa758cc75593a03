package ops

import (
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/conflict"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// who returns who made a change: the client, and the token it used.
func who(past vault.PastChange) string {
	if past.Token == "" {
		return past.Client
	}
	return strings.TrimLeft(past.Client+" ("+past.Token+")", " ")
}

// maxShownNotes is how many notes of one change are listed.
const maxShownNotes = 50

// changedNotes returns the current names of the notes of a change. Notes that no longer
// exist, or whose name is not unique in the list, are given by their path.
func changedNotes(s *index.Snapshot, past vault.PastChange) []string {
	names, uses := []string{}, map[string]int{}
	shown := slices.DeleteFunc(slices.Clone(past.Files), func(file history.File) bool { return file.Op == history.Side })
	order.Stably(shown, func(a, b history.File) int { return rank(a) - rank(b) })
	shown = shown[:min(len(shown), maxShownNotes)]
	for _, file := range shown {
		name := nameIn(s, currentPath(s, file))
		uses[name]++
		names = append(names, name)
	}
	for i, file := range shown {
		if uses[names[i]] > 1 {
			names[i] = plainName(currentPath(s, file))
		}
	}
	return names
}

// rank sorts created, deleted and moved files before those that changed.
func rank(file history.File) int {
	if file.Op == history.Write && file.Before.Exists() {
		return 1
	}
	return 0
}

// currentPath returns where the file of a change is, or was last.
func currentPath(s *index.Snapshot, file history.File) vpath.Path {
	if path := vpath.Path(file.Path); file.To == "" || s.Has(path) {
		return path
	}
	return vpath.Path(file.To)
}

// nameIn returns the name of a file in a vault; its path if it does not exist there.
func nameIn(s *index.Snapshot, path vpath.Path) string {
	if !s.Has(path) {
		return plainName(path)
	}
	return s.Name(path)
}

// plainName returns a path without the extension of a note.
func plainName(path vpath.Path) string {
	if path.IsNote() {
		return path.WithoutExt()
	}
	return string(path)
}

// summaryOf says in a few words what a change did. If a note was moved or deleted, the
// other notes are those that link to it.
func summaryOf(past vault.PastChange) string {
	if note := conflictOfChange(past); note != "" {
		return "resolved a conflict in " + plainName(note)
	}
	rest := len(past.Files) - 1
	for _, file := range past.Files {
		if file.Op != history.Write {
			return actionOn(file) + others(rest)
		}
	}
	if rest == 0 {
		return actionOn(past.Files[0])
	}
	return fmt.Sprintf("changed %d notes", len(past.Files))
}

// conflictOfChange returns the file whose conflict a change ended; "" if it did something else.
func conflictOfChange(past vault.PastChange) vpath.Path {
	for _, file := range past.Files {
		original, isCopy := conflict.OriginalOf(file.Path)
		if isCopy && file.Removes() && past.Tool == resolveConflict.Name {
			return vpath.Path(original)
		}
	}
	return ""
}

func others(notes int) string {
	switch notes {
	case 0:
		return ""
	case 1:
		return ", and changed 1 other note"
	}
	return fmt.Sprintf(", and changed %d other notes", notes)
}

func actionOn(file history.File) string {
	name := plainName(vpath.Path(file.Path))
	switch {
	case file.Op == history.Move:
		return fmt.Sprintf("renamed %s to %s", name, plainName(vpath.Path(file.To)))
	case file.Op == history.Trash:
		return "deleted " + name
	case !file.Before.Exists():
		return fmt.Sprintf("created %s (%s)", name, bytesOf(file.After.Size))
	}
	return fmt.Sprintf("changed %s (%d to %s)", name, file.Before.Size, bytesOf(file.After.Size))
}

func bytesOf(size int64) string {
	if size == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", size)
}

package ops

import (
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// who is who made a change: the client, and the token that it came with.
func who(past vault.PastChange) string {
	if past.Token == "" {
		return past.Client
	}
	return strings.TrimLeft(past.Client+" ("+past.Token+")", " ")
}

// shownNotes is how many notes of one change are listed.
const shownNotes = 50

// changedNotes names the notes of a change as they are called now; those that
// are not there any more by their path, and those as well that would have the
// name of another.
func changedNotes(s *index.Snapshot, past vault.PastChange) []string {
	names, taken := []string{}, map[string]int{}
	shown := slices.Clone(past.Files)
	slices.SortStableFunc(shown, func(a, b history.File) int { return rank(a) - rank(b) })
	shown = shown[:min(len(shown), shownNotes)]
	for _, file := range shown {
		name := nameIn(s, placeNow(s, file))
		taken[name]++
		names = append(names, name)
	}
	for i, file := range shown {
		if taken[names[i]] > 1 {
			names[i] = plainName(placeNow(s, file))
		}
	}
	return names
}

// rank puts files that came, went or moved before those that changed.
func rank(file history.File) int {
	if file.Op == history.Write && file.Before.Exists() {
		return 1
	}
	return 0
}

// placeNow is where the file of a change is, or was last.
func placeNow(s *index.Snapshot, file history.File) vpath.Path {
	if path := vpath.Path(file.Path); file.To == "" || s.Has(path) {
		return path
	}
	return vpath.Path(file.To)
}

// nameIn is what a file is called in a vault; by its path if it is not there.
func nameIn(s *index.Snapshot, path vpath.Path) string {
	if !s.Has(path) {
		return plainName(path)
	}
	return s.Name(path)
}

// plainName is a path as a name: that of a note without its extension.
func plainName(path vpath.Path) string {
	if path.IsNote() {
		return path.WithoutExt()
	}
	return string(path)
}

// summaryOf says in a few words what a change did. Where a note was moved or
// deleted, the others are those that link to it.
func summaryOf(past vault.PastChange) string {
	rest := len(past.Files) - 1
	for _, file := range past.Files {
		if file.Op != history.Write {
			return doneTo(file) + others(rest)
		}
	}
	if rest == 0 {
		return doneTo(past.Files[0])
	}
	return fmt.Sprintf("changed %d notes", len(past.Files))
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

func doneTo(file history.File) string {
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

package publish

import (
	"strings"
	"unicode"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
)

// FileName returns the file of a note in the repository, given the note's path below the folder that is published: each
// part in lower case, letters of all scripts and digits kept, dashes for everything else.
func FileName(below vpath.Path) (string, error) {
	parts := strings.Split(string(vpath.Path(below.WithoutExt()).Compose()), "/")
	for i, part := range parts {
		if parts[i] = slug(part); parts[i] == "" {
			return "", fault.InvalidArgument.Errorf("'%s' cannot be the name of a file in the repository", part).
				WithHint("give it a name with letters or digits")
		}
	}
	return strings.Join(parts, "/") + vpath.NoteExt, nil
}

func slug(part string) string {
	var out strings.Builder
	gap := false
	for _, r := range part {
		isMark := unicode.Is(unicode.M, r) && !gap && out.Len() > 0 // of the letter before it
		if !isMark && r != '_' && !unicode.In(r, unicode.L, unicode.N) {
			gap = out.Len() > 0
			continue
		}
		if gap {
			out.WriteByte('-')
		}
		gap = false
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// Slug returns a name for a file that can be a part of the name of a branch. No two files have the same one: a file name
// never has two dashes in a row.
func Slug(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(file, vpath.NoteExt), "/", "--")
}

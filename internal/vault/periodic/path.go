package periodic

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/note/vpath"
)

// notePath makes the path of a note from text of settings as Obsidian does: slashes and spaces are tidied, and .md is
// added.
func notePath(text string) (vpath.Path, error) {
	path := Tidy(text)
	if !strings.HasSuffix(path, vpath.NoteExt) {
		path += vpath.NoteExt
	}
	return vpath.Parse(path)
}

// Tidy makes text of settings a path as Obsidian's normalizePath does. The result may still not be valid.
func Tidy(text string) string {
	text = strings.NewReplacer(`\`, "/", "\u00a0", " ", "\u202f", " ").Replace(text)
	parts := slices.DeleteFunc(strings.Split(text, "/"), func(part string) bool { return part == "" || part == "." })
	return string(vpath.Path(strings.Join(parts, "/")).Compose())
}

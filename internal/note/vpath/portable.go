package vpath

import (
	"strings"
	"unicode"

	"obsidian-mcp/internal/fault"
)

// Portable reports why a file should not be created at p: a name that another
// of the user's devices cannot hold, or that no link can reach. What exists
// under such a name stays readable.
func (p Path) Portable() error { return p.PortableBelow("") }

// PortableBelow is Portable for the part of p below an existing folder, whose
// own name is as it is.
func (p Path) PortableBelow(folder Path) error {
	rest := string(p)
	if folder != "" && p.In(folder) {
		rest = rest[len(folder)+1:]
	}
	for component := range strings.SplitSeq(rest, "/") {
		if reason := unportable(component); reason != "" {
			return fault.InvalidArgument.Errorf("cannot create %q: the name %q %s", string(p), component, reason).
				WithHint("choose another name; existing files of such names can still be read")
		}
	}
	return nil
}

func unportable(component string) string {
	if i := strings.IndexAny(component, `:*"<>|?`); i >= 0 {
		return "holds " + component[i:i+1] + ", which Windows and Android cannot store"
	}
	if i := strings.IndexAny(component, "#^[]"); i >= 0 {
		return "holds " + component[i:i+1] + ", which breaks links to it"
	}
	stem := component
	if hasExt(component, NoteExt) {
		stem = component[:len(component)-len(NoteExt)]
	}
	switch last := stem[len(stem)-1]; {
	case strings.Contains(component, "%%"):
		return "holds %%, which breaks links to it"
	case last == '.' || last == ' ':
		return "ends in a dot or a space, which Windows drops"
	case isReserved(component):
		return "is reserved on Windows"
	case hasUnseen(component):
		return "holds characters that cannot be seen or that turn the direction of text"
	}
	return ""
}

// isReserved reports a device name of Windows, whatever its extension.
func isReserved(component string) bool {
	stem, _, _ := strings.Cut(component, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, isPort := strings.CutPrefix(stem, "COM")
	if !isPort {
		number, isPort = strings.CutPrefix(stem, "LPT")
	}
	return isPort && len([]rune(number)) == 1 && strings.Contains("0123456789¹²³", number)
}

// hasUnseen finds control, direction and zero-width characters. A joiner is
// fine between two others, as in emoji and in Persian words.
func hasUnseen(component string) bool {
	joinable := false
	for _, r := range component {
		if r == zwj || r == zwnj {
			if !joinable {
				return true
			}
			joinable = false
			continue
		}
		joinable = true
		if unicode.IsControl(r) || isInvisible(r) || r == '\u2028' || r == '\u2029' {
			return true
		}
	}
	return !joinable
}

const (
	zwnj = '\u200c'
	zwj  = '\u200d'
)

// isInvisible covers what shows nothing of its own: zero-width and direction
// characters and the byte-order mark.
func isInvisible(r rune) bool {
	switch {
	case r == '\u061c', r == '\u180e', r == '\ufeff':
		return true
	case '\u200b' <= r && r <= '\u200f', '\u202a' <= r && r <= '\u202e', '\u2060' <= r && r <= '\u206f':
		return true
	}
	return false
}

func dropInvisible(r rune) rune {
	if isInvisible(r) {
		return -1
	}
	return r
}

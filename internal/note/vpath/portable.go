package vpath

import (
	"strings"
	"unicode"

	"obsidian-mcp/internal/fault"
)

// Portable returns an error if no file should be created at p, because another device of the user cannot store the name
// or no link can point to it. Existing files with such names stay readable.
func (p Path) Portable() error { return p.PortableBelow("") }

// PortableBelow is Portable for a path in an existing folder, whose own name it does not check.
func (p Path) PortableBelow(folder Path) error {
	rest := string(p)
	if folder != "" && p.In(folder) {
		rest = rest[len(folder)+1:]
	}
	for component := range strings.SplitSeq(rest, "/") {
		if reason := unportable(component); reason != "" {
			return fault.InvalidArgument.Errorf("cannot create %q: the name %q %s", string(p), component, reason).
				WithHint("choose another name; existing files with such names can still be read")
		}
	}
	return nil
}

// unportable says what is wrong with a name, or "".
func unportable(component string) string {
	if i := strings.IndexAny(component, `:*"<>|?`); i >= 0 {
		return "contains " + component[i:i+1] + ", which Windows and Android cannot store"
	}
	if i := strings.IndexAny(component, "#^[]"); i >= 0 {
		return "contains " + component[i:i+1] + ", which breaks links to it"
	}
	stem := component
	if hasExt(component, NoteExt) {
		stem = component[:len(component)-len(NoteExt)]
	}
	switch last := stem[len(stem)-1]; {
	case strings.Contains(component, "%%"):
		return "contains %%, which breaks links to it"
	case last == '.' || last == ' ':
		return "ends in a dot or a space, which Windows drops"
	case isReserved(component):
		return "is reserved on Windows"
	case hasInvisible(component):
		return "contains invisible characters or characters that change the direction of text"
	}
	return ""
}

// isReserved reports whether Windows reserves the name for a device. The extension does not matter.
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

// hasInvisible reports whether a name contains control, direction or zero-width characters. A single joiner between two
// other characters is fine, as in emoji and Persian words.
func hasInvisible(component string) bool {
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

// isInvisible reports zero-width characters, direction characters and the byte-order mark.
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

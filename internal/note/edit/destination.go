package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// LinkFormat says how to write the path of a new link. It is Obsidian's setting newLinkFormat.
type LinkFormat uint8

// The formats of a link's path.
const (
	Shortest LinkFormat = iota // just the name if it is unique, else the path from the root
	Relative                   // from the folder of the note that contains the link
	Absolute                   // from the root
)

// ParseLinkFormat reads the setting. Unknown values mean Obsidian's default.
func ParseLinkFormat(setting string) LinkFormat {
	switch setting {
	case "relative":
		return Relative
	case "absolute":
		return Absolute
	}
	return Shortest
}

// destination returns the path of a link to a file, in the format of the setting, or a longer path if that would reach
// another file. If no path can be written in the wanted form, it returns one in another form, and that form.
func (s *source) destination(link md.Link, target vpath.Path, form linkForm) (string, linkForm, bool) {
	if form == plain {
		if dest, ok := s.spelling(link, target, isPlain); ok && link.Kind == md.WikiLink {
			return dest, plain, true
		}
		form = encoded
	}
	if form >= encoded {
		for _, path := range s.spellings(target) {
			if s.reaches("[x]("+encodeAll(path)+")", target) {
				return path, form, true
			}
		}
	}
	dest, ok := s.spelling(link, target, nil)
	return dest, usual, ok
}

// spelling returns the first spelling of a path that is allowed and leads to the file. A nil allowed permits all.
func (s *source) spelling(link md.Link, target vpath.Path, allowed func(dest string) bool) (string, bool) {
	for _, path := range s.spellings(target) {
		dests := []string{path}
		if link.Kind == md.WikiLink {
			dests = []string{path[:len(path)-extLen(target)], path}
		}
		for _, dest := range dests {
			if (allowed == nil || allowed(dest)) && s.reaches(minimalLink(link, dest), target) {
				return dest, true
			}
		}
	}
	return "", false
}

// written returns a destination as its kind of link needs it.
func written(link md.Link, dest string) string {
	if link.Kind == md.WikiLink {
		return dest
	}
	return encode(dest, link.Angled)
}

// minimalLink returns a link of the same kind with just a destination.
func minimalLink(link md.Link, dest string) string {
	switch {
	case link.Kind == md.WikiLink:
		return "[[" + dest + "]]"
	case link.Angled:
		return "[x](<" + written(link, dest) + ">)"
	}
	return "[x](" + written(link, dest) + ")"
}

// extLen returns the length of the extension that a wikilink omits.
func extLen(target vpath.Path) int {
	if target.IsNote() {
		return len(vpath.NoteExt)
	}
	return 0
}

// reaches reports whether a link resolves to the file.
func (s *source) reaches(written string, target vpath.Path) bool {
	links := md.Scan([]byte(written)).Links
	if len(links) != 1 || links[0].Len() != len(written) || links[0].Kind == md.WikiLink && links[0].HasText {
		return false // a character of the name ended the link, or split it
	}
	path, subpath := md.SplitTarget(links[0].Target([]byte(written)))
	found, ok := s.now.Resolve(path)
	return ok && subpath == "" && found == target
}

// spellings returns the ways to write a path, the preferred one first.
func (s *source) spellings(target vpath.Path) []string {
	absolute := string(target)
	relative := relativePath(s.path.Dir(), target)
	fallback := []string{absolute, "./" + relative, relative, "/" + absolute}
	switch s.relinker.format {
	case Relative:
		return append([]string{relative, "./" + relative}, fallback...)
	case Shortest:
		if s.relinker.after.IsUnique(target) {
			return append([]string{target.Base()}, fallback...)
		}
	}
	return fallback
}

// relativePath returns the path from a folder to a file.
func relativePath(dir, target vpath.Path) string {
	var climb strings.Builder
	for dir != "" && !target.In(dir) {
		climb.WriteString("../")
		dir = dir.Dir()
	}
	if dir == "" {
		return climb.String() + string(target)
	}
	return climb.String() + string(target[len(dir)+1:])
}

// encode returns a path as the destination of a Markdown link. Like Obsidian it encodes spaces, backslashes and control
// characters, and also characters that would end the destination or look like a percent code.
func encode(path string, angled bool) string {
	var out strings.Builder
	balanced := parensBalance(path)
	for i := range len(path) {
		c := path[i]
		switch {
		case c == '\\', c < ' ', c == 0x7f, c == ' ' && !angled,
			c == '%' && md.PercentDecode(path[i:min(i+3, len(path))]) != path[i:min(i+3, len(path))],
			(c == '<' || c == '>') && (angled || i == 0),
			(c == '(' || c == ')') && !angled && !balanced:
			fmt.Fprintf(&out, "%%%02X", c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

func parensBalance(path string) bool {
	depth := 0
	for _, c := range path {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// encodeAll returns a target as a Markdown destination that contains no character that could be a mark.
func encodeAll(target string) string {
	var out strings.Builder
	for i := range len(target) {
		if c := target[i]; isPlainByte(c) && c != ' ' || c == '#' || c == '^' {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// isPlain reports whether no character of the path has a meaning in Markdown.
func isPlain(path string) bool {
	for i := range len(path) {
		if !isPlainByte(path[i]) {
			return false
		}
	}
	return true
}

func isPlainByte(c byte) bool {
	return c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' ||
		strings.IndexByte(" /._-", c) >= 0
}

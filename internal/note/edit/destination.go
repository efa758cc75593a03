package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// LinkFormat is how the path of a new link is written: Obsidian's setting
// newLinkFormat.
type LinkFormat uint8

// The formats of a link's path.
const (
	Shortest LinkFormat = iota // the name alone where only one file has it, else the path from the root
	Relative                   // from the folder of the note that holds the link
	Absolute                   // from the root
)

// ParseLinkFormat reads the setting; Obsidian's default stands for anything
// that it does not know.
func ParseLinkFormat(setting string) LinkFormat {
	switch setting {
	case "relative":
		return Relative
	case "absolute":
		return Absolute
	}
	return Shortest
}

// destination is the path of a link to a file, in the setting's format. Where
// that would mean another file, more of the path is given. Where no path can
// be written in the wanted way it is one for the next, which is told too.
func (s *source) destination(link md.Link, target vpath.Path, how way) (string, way, bool) {
	if how == plain {
		if dest, ok := s.spelling(link, target, isPlain); ok && link.Kind == md.WikiLink {
			return dest, plain, true
		}
		how = encoded
	}
	if how >= encoded {
		for _, path := range s.spellings(target) {
			if s.reaches("[x]("+encodeAll(path)+")", target) {
				return path, how, true
			}
		}
	}
	dest, ok := s.spelling(link, target, nil)
	return dest, usual, ok
}

// spelling is the first way to spell a path that leads to the file and that
// may be used.
func (s *source) spelling(link md.Link, target vpath.Path, mayBe func(dest string) bool) (string, bool) {
	for _, path := range s.spellings(target) {
		dests := []string{path}
		if link.Kind == md.WikiLink {
			dests = []string{path[:len(path)-extLen(target)], path}
		}
		for _, dest := range dests {
			if (mayBe == nil || mayBe(dest)) && s.reaches(alone(link, dest), target) {
				return dest, true
			}
		}
	}
	return "", false
}

// written is a destination in the form of its link.
func written(link md.Link, dest string) string {
	if link.Kind == md.WikiLink {
		return dest
	}
	return encode(dest, link.Angled)
}

// alone is a link of that form with nothing but its destination.
func alone(link md.Link, dest string) string {
	switch {
	case link.Kind == md.WikiLink:
		return "[[" + dest + "]]"
	case link.Angled:
		return "[x](<" + written(link, dest) + ">)"
	}
	return "[x](" + written(link, dest) + ")"
}

// extLen is the length of the extension that a wikilink leaves out.
func extLen(target vpath.Path) int {
	if target.IsNote() {
		return len(vpath.NoteExt)
	}
	return 0
}

// reaches reports whether a link, as written, means the file.
func (s *source) reaches(written string, target vpath.Path) bool {
	links := md.Scan([]byte(written)).Links
	if len(links) != 1 || links[0].Len() != len(written) || links[0].Kind == md.WikiLink && links[0].HasText {
		return false // a character of the name ended the link, or split it
	}
	path, subpath := md.SplitTarget(links[0].Target([]byte(written)))
	found, ok := s.now.Resolve(path)
	return ok && subpath == "" && found == target
}

// spellings are the ways to write a path, the wanted one first.
func (s *source) spellings(target vpath.Path) []string {
	absolute := string(target)
	relative := relativePath(s.path.Dir(), target)
	fallback := []string{absolute, "./" + relative, relative, "/" + absolute}
	switch s.format {
	case Relative:
		return append([]string{relative, "./" + relative}, fallback...)
	case Shortest:
		if s.after.IsUnique(target) {
			return append([]string{target.Base()}, fallback...)
		}
	}
	return fallback
}

// relativePath is the way from a folder to a file.
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

// encode writes a path as a Markdown destination. Obsidian encodes the space,
// the backslash and control characters; what would end the destination or
// read as a code is encoded too.
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

// encodeAll writes a target as a Markdown destination in which nothing can be
// taken for a mark.
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

// isPlain reports a path in which no character means anything to Markdown.
func isPlain(path string) bool {
	for i := range len(path) {
		if !isPlainByte(path[i]) {
			return false
		}
	}
	return true
}

func isPlainByte(c byte) bool {
	return c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte(" /._-", c) >= 0
}

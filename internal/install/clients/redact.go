package clients

import (
	"regexp"
	"strings"

	"obsidian-mcp/internal/install/entry"
)

// mask is shown instead of a secret.
const mask = "[redacted]"

// redactor masks what looks like a secret in a configuration: by the name of its field, variable, option or header, by
// the name of a list or object around it, or because it is the login in an address. The text need not be valid.
type redactor struct {
	format    entry.Format
	servers   string // the name of the object that holds the servers
	inComment bool
	pieces    []string
	levels    []level // the text or TOML table, and the open lists and objects in it
	name      []string
	inName    bool
	before    string // the previous item of the list
}

// level is a list or an object.
type level struct {
	name   string
	secret bool
}

// redacted returns a configuration with its secrets masked. The number of lines stays the same.
func redacted(text string, c Client) string {
	return (&redactor{format: c.format, servers: c.key}).run(text)
}

func (r *redactor) run(text string) string {
	equals := ":"
	if r.format == entry.TOML {
		equals = "="
	}
	r.pieces, r.levels = piecesOf(text, r.format), []level{{}}
	var out strings.Builder
	header := 0 // where the header of a table ends
	for n, piece := range r.pieces {
		wasName := r.inName
		r.inName = wasName && strings.TrimSpace(piece) == ""
		switch {
		case n < header:
		case strings.TrimSpace(piece) == "":
			r.space(piece)
		case r.isComment(piece):
			piece = r.comment(piece)
		case piece == "[" && r.beginsHeader(n):
			header = r.header(n)
		case piece == "[" || piece == "{":
			r.open()
		case piece == "]" || piece == "}":
			r.levels = r.levels[:max(len(r.levels)-1, 1)]
			r.name, r.before = nil, ""
		case piece == ",":
			r.name = nil
		case piece == equals:
		case r.isName(n, equals):
			r.addName(piece, wasName)
			piece = withoutSecrets(piece)
		default:
			r.before, piece = piece, r.value(piece)
		}
		out.WriteString(piece)
	}
	return out.String()
}

// space ends a TOML pair at a line break.
func (r *redactor) space(piece string) {
	if r.format == entry.TOML && piece == "\n" && len(r.levels) == 1 {
		r.name, r.before = nil, ""
	}
}

func (r *redactor) isComment(piece string) bool {
	if r.format == entry.TOML {
		return piece[0] == '#'
	}
	return strings.HasPrefix(piece, "//") || strings.HasPrefix(piece, "/*")
}

// comment masks the secrets in a comment: people comment out settings that they may need again.
func (r *redactor) comment(piece string) string {
	if !r.inComment {
		mark := piece[:1]
		if r.format != entry.TOML {
			mark = piece[:2]
		}
		piece = mark + (&redactor{format: r.format, servers: r.servers, inComment: true}).run(piece[len(mark):])
	}
	return maskSecrets(piece)
}

// beginsHeader reports whether a bracket begins a line of TOML and is not inside a list.
func (r *redactor) beginsHeader(n int) bool {
	for n--; n >= 0 && r.pieces[n] != "\n"; n-- {
		if strings.TrimSpace(r.pieces[n]) != "" {
			return false
		}
	}
	return r.format == entry.TOML && len(r.levels) == 1
}

// header reads the header of a table and returns where it ends.
func (r *redactor) header(n int) (end int) {
	r.name = nil
	for end = n; end < len(r.pieces) && r.pieces[end] != "]" && r.pieces[end] != "\n"; end++ {
		if piece := r.pieces[end]; piece != "[" && strings.TrimSpace(piece) != "" {
			r.addName(piece, true)
		}
	}
	r.levels = []level{{}}
	r.open()
	r.levels = r.levels[1:]
	return end
}

// open begins a list or an object.
func (r *redactor) open() {
	above := r.levels[len(r.levels)-1]
	inner := level{secret: above.secret || r.namesSecrets(above, r.name)}
	if len(r.name) > 0 {
		inner.name = r.name[len(r.name)-1]
	}
	r.levels = append(r.levels, inner)
	r.name, r.before = nil, ""
}

// isName reports whether a piece is the name of the value that follows.
func (r *redactor) isName(n int, equals string) bool {
	for _, next := range r.pieces[n+1:] {
		switch {
		case next == equals || r.format == entry.TOML && strings.HasPrefix(next, "."):
			return true
		case strings.TrimSpace(next) != "" && !r.isComment(next):
			return false
		}
	}
	return false
}

// addName adds a name, or a part of a dotted TOML key.
func (r *redactor) addName(piece string, goesOn bool) {
	if !goesOn {
		r.name = nil
	}
	switch {
	case isQuoted(piece):
		r.name = append(r.name, strings.Trim(piece, piece[:1]))
	case r.format == entry.TOML:
		r.name = append(r.name, strings.FieldsFunc(piece, func(c rune) bool { return c == '.' })...)
	default:
		r.name = append(r.name, piece)
	}
}

func isQuoted(piece string) bool { return len(piece) > 1 && (piece[0] == '"' || piece[0] == '\'') }

// namesSecrets reports whether the name of a list or an object, in parts, suggests secrets. Names of servers and paths do
// not count.
func (r *redactor) namesSecrets(above level, name []string) bool {
	before := above.name
	for _, part := range name {
		if before != r.servers && !strings.ContainsAny(part, `/\ `) && isSecretName(part) {
			return true
		}
		before = part
	}
	return false
}

// option matches an option whose value is the next item of the list.
var option = regexp.MustCompile(`^["']--?([\w-]+)["']$`)

// value returns a value as it may be shown.
func (r *redactor) value(piece string) string {
	above, name, tables := r.levels[len(r.levels)-1], "", r.name
	if last := len(tables) - 1; last >= 0 {
		name, tables = tables[last], tables[:last]
	}
	isSecret := isSecretName(name) || (above.secret || r.namesSecrets(above, tables)) && !isPlainName(name)
	if found := option.FindStringSubmatch(r.before); found != nil && name == "" {
		name = found[1]
		isSecret = isSecret || isSecretName(name)
	}
	switch {
	case !isQuoted(piece) && isSecret && !isAmount(name) &&
		(r.inComment || strings.ContainsAny(piece[:1], "+-0123456789")):
		return mask
	case !isQuoted(piece):
		return piece
	case isSecret:
		return maskQuoted(piece)
	case isUserName(name):
		return withoutSecrets(withoutPassword(piece))
	}
	return withoutSecrets(piece)
}

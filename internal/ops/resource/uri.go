package resource

import (
	"net/url"
	"strings"

	"obsidian-mcp/internal/note/vpath"
)

const uriScheme = "mcp-obsidian"

// URIs makes and reads the URIs of one vault's files: the vault's id, then the path, each part percent-encoded.
type URIs struct{ vaultID string }

// NewURIs returns the URIs of the vault with this id.
func NewURIs(vaultID string) URIs { return URIs{vaultID} }

// Of returns the URI of the file at a path.
func (u URIs) Of(path vpath.Path) string {
	out := []byte(u.root())
	for i, part := range strings.Split(string(path), "/") {
		if i > 0 {
			out = append(out, '/')
		}
		out = appendEncoded(out, part)
	}
	return string(out)
}

// root is what every URI of this vault starts with.
func (u URIs) root() string {
	return string(append(appendEncoded([]byte(uriScheme+"://"), u.vaultID), '/'))
}

// Parse returns the path that a URI of this vault names. It accepts characters that are encoded without need, and
// characters that should be encoded but are not: a client that fills in the template leaves "?" and "#" in a path.
func (u URIs) Parse(uri string) (vpath.Path, bool) {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok || !strings.EqualFold(scheme, uriScheme) {
		return "", false
	}
	id, rest, ok := strings.Cut(rest, "/")
	if decoded, err := url.PathUnescape(id); !ok || err != nil || decoded != u.vaultID {
		return "", false
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		decoded, err := url.PathUnescape(part)
		if err != nil || strings.Contains(decoded, "/") {
			return "", false
		}
		parts[i] = decoded
	}
	path, err := vpath.Parse(strings.Join(parts, "/"))
	return path, err == nil
}

// appendEncoded percent-encodes everything that RFC 3986 does not call unreserved.
func appendEncoded(out []byte, text string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0:
			out = append(out, c)
		default:
			out = append(out, '%', hex[c>>4], hex[c&0xf])
		}
	}
	return out
}

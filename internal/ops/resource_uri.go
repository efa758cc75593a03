package ops

import (
	"net/url"
	"strings"

	"obsidian-mcp/internal/note/vpath"
)

// uriScheme is that of the files of a vault.
const uriScheme = "mcp-obsidian"

// URI names the file at a path for clients.
func (o *Ops) URI(path string) string { return o.uri(vpath.Path(path)) }

// uri names a file for clients: the vault's id and the path, each of its parts
// percent-encoded.
func (o *Ops) uri(path vpath.Path) string {
	out := []byte(o.uriRoot())
	for i, part := range strings.Split(string(path), "/") {
		if i > 0 {
			out = append(out, '/')
		}
		out = appendEncoded(out, part)
	}
	return string(out)
}

// uriRoot is what every URI of this vault starts with.
func (o *Ops) uriRoot() string {
	return string(append(appendEncoded([]byte(uriScheme+"://"), o.vaultID), '/'))
}

// parseURI is the path that a URI names, if it is one of this vault. Characters
// that need not be encoded may be, and those that should be may stand as they
// are: a client that fills in the template leaves "?" and "#" in a path.
func (o *Ops) parseURI(uri string) (vpath.Path, bool) {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok || !strings.EqualFold(scheme, uriScheme) {
		return "", false
	}
	id, rest, ok := strings.Cut(rest, "/")
	if decoded, err := url.PathUnescape(id); !ok || err != nil || decoded != o.vaultID {
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

// appendEncoded appends text with everything encoded but what RFC 3986 calls
// unreserved.
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

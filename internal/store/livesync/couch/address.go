package couch

import (
	"net/url"
	"strings"

	"obsidian-mcp/internal/fault"
)

// parseServer reads the server's address. A password in it would be shown
// wherever addresses are, so there must be none. The address that is refused
// is not repeated for the same reason.
func parseServer(address string) (*url.URL, error) {
	server, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil:
		return nil, fault.InvalidArgument.Errorf("the address of CouchDB is no URL").WithHint("it reads like https://couch.example.com or https://example.com/couchdb")
	case server.User != nil:
		return nil, fault.InvalidArgument.Errorf("the address of CouchDB must not hold a user or password").WithHint("give them as settings of their own")
	case server.Scheme != "http" && server.Scheme != "https" || server.Host == "":
		return nil, fault.InvalidArgument.Errorf("the address of CouchDB must begin with https:// or http://, and name a host")
	case server.RawQuery != "" || server.Fragment != "":
		return nil, fault.InvalidArgument.Errorf("the address of CouchDB must not have a query or a fragment")
	}
	return server, nil
}

// endpoint is the URL of something on the server. Each part is one step of the
// path, whatever characters it has.
func (c *Client) endpoint(query url.Values, parts ...string) *url.URL {
	at := *c.server
	raw, plain := strings.TrimRight(at.EscapedPath(), "/"), strings.TrimRight(at.Path, "/")
	for _, part := range parts {
		raw += "/" + escape(part)
		plain += "/" + part
	}
	at.Path, at.RawPath, at.RawQuery = plain, raw, query.Encode()
	return &at
}

// documentParts are the steps to a document. Local and design documents have
// an id of two steps, any other of one, slashes and all.
func (c *Client) documentParts(id string) ([]string, error) {
	for _, prefix := range []string{"_local/", "_design/"} {
		if name, found := strings.CutPrefix(id, prefix); found && usable(name) {
			return []string{c.opt.Database, strings.TrimSuffix(prefix, "/"), name}, nil
		}
	}
	if !usable(id) || strings.HasPrefix(id, "_") {
		return nil, fault.InvalidArgument.Errorf("'%s' cannot be the id of a document", id)
	}
	return []string{c.opt.Database, id}, nil
}

// usable reports whether a name can be a step of a path: proxies take dots for
// a way up.
func usable(name string) bool { return name != "" && name != "." && name != ".." }

// escape writes a step of a path. More is escaped than RFC 3986 asks for:
// CouchDB reads a plus sign as a space.
func escape(part string) string {
	const hex = "0123456789ABCDEF"
	var escaped strings.Builder
	for i := range len(part) {
		switch b := part[i]; {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', strings.IndexByte("-._~", b) >= 0:
			escaped.WriteByte(b)
		default:
			escaped.Write([]byte{'%', hex[b>>4], hex[b&15]})
		}
	}
	return escaped.String()
}

package couch

import (
	"net/url"
	"strings"

	"obsidian-mcp/internal/fault"
)

// parseServer parses the server's address. It must not contain a password, which would appear wherever the address is
// printed. For the same reason errors do not repeat the address.
func parseServer(address string) (*url.URL, error) {
	server, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil:
		return nil, fault.InvalidArgument.Errorf("the address of CouchDB is not a valid URL").
			WithHint("use an address such as https://couch.example.com or https://example.com/couchdb")
	case server.User != nil:
		return nil, fault.InvalidArgument.Errorf("the address of CouchDB must not contain a user or password").
			WithHint("use the settings for user and password")
	case server.Scheme != "http" && server.Scheme != "https" || server.Host == "":
		return nil, fault.InvalidArgument.Errorf("the address of CouchDB must start with https:// or http:// and name a host")
	case server.RawQuery != "" || server.Fragment != "":
		return nil, fault.InvalidArgument.Errorf("the address of CouchDB must not have a query or a fragment")
	}
	return server, nil
}

// endpoint returns a URL on the server. Each part is one path segment, whatever characters it has.
func (c *Client) endpoint(query url.Values, parts ...string) *url.URL {
	address := *c.server
	raw, plain := strings.TrimRight(address.EscapedPath(), "/"), strings.TrimRight(address.Path, "/")
	for _, part := range parts {
		raw += "/" + escape(part)
		plain += "/" + part
	}
	address.Path, address.RawPath, address.RawQuery = plain, raw, query.Encode()
	return &address
}

// documentParts returns the path segments of a document. Ids of local and design documents are two segments, all others
// one, even if they contain slashes.
func (c *Client) documentParts(id string) ([]string, error) {
	for _, prefix := range []string{"_local/", "_design/"} {
		if name, found := strings.CutPrefix(id, prefix); found && usable(name) {
			return []string{c.opt.Database, strings.TrimSuffix(prefix, "/"), name}, nil
		}
	}
	if !usable(id) || strings.HasPrefix(id, "_") {
		return nil, fault.InvalidArgument.Errorf("'%s' is not a valid document id", id)
	}
	return []string{c.opt.Database, id}, nil
}

// usable reports whether a name can be a path segment: proxies resolve dot segments.
func usable(name string) bool { return name != "" && name != "." && name != ".." }

// escape escapes a path segment. It escapes more than RFC 3986 requires: CouchDB reads a plus sign as a space.
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

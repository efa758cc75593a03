package door

import (
	"net/http"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
)

// origin is a web origin: what a browser names as the source of a request.
type origin struct {
	scheme string
	authority
}

// parseOrigin reads an Origin header. It refuses "null".
func parseOrigin(text string) (origin, bool) {
	scheme, rest, ok := strings.Cut(text, "://")
	host, valid := parseAuthority(rest)
	scheme = strings.ToLower(scheme)
	if !ok || !valid || !isScheme(scheme) {
		return origin{}, false
	}
	return origin{scheme: scheme, authority: host}.plain(), true
}

// isScheme reports whether a text in lower case may come before "://". Extensions, and programs with a browser inside,
// have schemes other than http.
func isScheme(text string) bool {
	return text != "" && text[0] >= 'a' && text[0] <= 'z' &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}

// plain removes the port that the scheme implies, as browsers do.
func (o origin) plain() origin {
	if o.port == defaultPort(o.scheme) {
		o.port = ""
	}
	return o
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	default:
		return ""
	}
}

func parseOrigins(texts []string) ([]origin, error) {
	origins := make([]origin, 0, len(texts))
	for _, text := range texts {
		parsed, ok := parseOrigin(strings.TrimSuffix(strings.TrimSpace(text), "/"))
		if !ok {
			return nil, fault.InvalidArgument.Errorf("%q is not a valid web origin", text).
				WithHint("give each origin as scheme and host, such as https://claude.ai; all origins cannot be allowed at once")
		}
		origins = append(origins, parsed)
	}
	return origins, nil
}

// source is what a request reveals about the page that made it.
type source int

const (
	fromNoPage      source = iota // a program, the address bar, or a page of our own
	fromAllowedPage               // a page of an origin that may call
	fromForeignPage
)

// sourceOf returns where a request comes from. The caller has checked its Host.
func (d *Door) sourceOf(r *http.Request) source {
	headers := r.Header.Values("Origin")
	if len(headers) == 0 {
		if isForeignFetch(r) && !(isVisit(r) && d.options.Visits(r.URL.Path)) {
			return fromForeignPage
		}
		return fromNoPage
	}
	from, ok := parseOrigin(headers[0])
	switch {
	case !ok || len(headers) > 1:
		return fromForeignPage
	case slices.Contains(d.origins, from):
		return fromAllowedPage
	case d.isOwn(from, r) && !isForeignFetch(r):
		return fromNoPage
	default:
		return fromForeignPage
	}
}

// isForeignFetch reports whether, according to the browser, a page of another site or port made a request. Images, frames
// and links send only this header, not Origin.
func isForeignFetch(r *http.Request) bool {
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return true
		}
	}
	return false
}

// isVisit reports whether a person follows a link, so that the answer fills the tab. The page with the link cannot read
// it.
func isVisit(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isOwn reports whether a page belongs to this server: its host and port are those that the request is for. The scheme is
// compared if a proxy reports it.
func (d *Door) isOwn(from origin, r *http.Request) bool {
	if from.scheme != "http" && from.scheme != "https" {
		return false
	}
	if forwarded := d.forwardedScheme(r); forwarded != "" && forwarded != from.scheme {
		return false
	}
	host, ok := parseAuthority(r.Host)
	return ok && from == origin{scheme: from.scheme, authority: host}.plain()
}

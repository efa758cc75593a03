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

// parseOrigin reads an Origin header. "null" is none.
func parseOrigin(text string) (origin, bool) {
	scheme, rest, ok := strings.Cut(text, "://")
	host, valid := parseAuthority(rest)
	scheme = strings.ToLower(scheme)
	if !ok || !valid || !isScheme(scheme) {
		return origin{}, false
	}
	return origin{scheme: scheme, authority: host}.plain(), true
}

// isScheme reports whether a text in lower case may stand before "://". Other
// schemes than http are those of extensions and of programs with a browser
// inside.
func isScheme(text string) bool {
	return text != "" && text[0] >= 'a' && text[0] <= 'z' &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}

// plain leaves out the port that the scheme implies, as browsers do.
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
			return nil, fault.InvalidArgument.Errorf("%q is no web origin to be allowed", text).
				WithHint("name each origin by scheme and host, such as https://claude.ai; there is no way to allow all of them")
		}
		origins = append(origins, parsed)
	}
	return origins, nil
}

// fromWhere says what a request tells of the page that made it.
type fromWhere int

const (
	fromNoPage    fromWhere = iota // a program, the address bar, or a page of our own
	fromNamedPage                  // a page of an origin that may call
	fromForeignPage
)

// source judges the page behind a request. The caller has checked its Host.
func (d *Door) source(r *http.Request) fromWhere {
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
		return fromNamedPage
	case d.isOwn(from, r) && !isForeignFetch(r):
		return fromNoPage
	default:
		return fromForeignPage
	}
}

// isForeignFetch reports whether the browser says that another site's page, or
// one of another port, is behind a request. Images, frames and links send no
// Origin, only this.
func isForeignFetch(r *http.Request) bool {
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return true
		}
	}
	return false
}

// isVisit reports whether a person follows a link to here, so that the answer is
// all that the tab shows. The page with the link sees nothing of it.
func isVisit(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isOwn reports whether a page is of this server itself: from the very host and
// port that the request is for. The scheme is compared where a proxy has told
// it.
func (d *Door) isOwn(from origin, r *http.Request) bool {
	if from.scheme != "http" && from.scheme != "https" {
		return false
	}
	if told := d.forwardedScheme(r); told != "" && told != from.scheme {
		return false
	}
	host, ok := parseAuthority(r.Host)
	return ok && from == origin{scheme: from.scheme, authority: host}.plain()
}

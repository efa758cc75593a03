package door

import (
	"net/http"
	"slices"
	"strings"
)

// callHeaders are the headers that a page of an allowed origin may send, in lower case. Headers for the parameters of a
// tool are recognised by their prefix.
var callHeaders = []string{
	"accept", "authorization", "content-type", "last-event-id",
	"mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id",
}

const parameterPrefix = "mcp-param-"

// isPreflight reports whether a browser asks what it may send.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// exposeAnswer lets a page of an allowed origin read the answer. It echoes the origin, never a star, and never allows
// cookies.
func exposeAnswer(header http.Header, r *http.Request) {
	header.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	header.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate")
}

// answerPreflight says what a page of an allowed origin may send.
func answerPreflight(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	header.Set("Access-Control-Max-Age", "600")
	if allowed := allowedHeaders(r.Header.Values("Access-Control-Request-Headers")); len(allowed) > 0 {
		header.Set("Access-Control-Allow-Headers", strings.Join(allowed, ", "))
	}
	w.WriteHeader(http.StatusNoContent)
}

// allowedHeaders returns the requested headers that may be sent.
func allowedHeaders(requested []string) []string {
	var allowed []string
	for name := range strings.SplitSeq(strings.Join(requested, ","), ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if slices.Contains(callHeaders, name) || isParameterHeader(name) {
			allowed = append(allowed, name)
		}
	}
	return allowed
}

func isParameterHeader(name string) bool {
	rest, ok := strings.CutPrefix(name, parameterPrefix)
	return ok && rest != "" && len(name) <= 128 &&
		strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

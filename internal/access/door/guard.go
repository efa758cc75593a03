package door

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"time"
)

// guard puts the door before a handler.
func (d *Door) guard(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// net/http looks at the body of its own request when all is done.
		r = r.WithContext(r.Context())
		out := &answer{ResponseWriter: w, request: r, patience: d.options.WriteTimeout, began: time.Now()}
		defer d.finish(out)
		secure(out.Header())
		d.receive(out)
		if d.check(out) {
			inner.ServeHTTP(out, r)
		}
	})
}

// security is what holds for every answer. A handler with pages of its own sets
// its own policy.
var security = http.Header{
	"Cache-Control":           {"no-store"},
	"X-Content-Type-Options":  {"nosniff"},
	"Referrer-Policy":         {"no-referrer"},
	"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
}

func secure(header http.Header) { maps.Copy(header, security) }

// check turns away who may not come in and answers what needs no handler. It
// reports whether the request is for the handler.
func (d *Door) check(out *answer) bool {
	r := out.request
	if !d.hosts.allow(r) {
		d.refuse(out, http.StatusForbidden, RefusedHost, fmt.Sprintf("this server does not know itself as %q; if it is called so, add that to OBSIDIAN_MCP_ALLOWED_HOSTS", clean(r.Host)))
		return false
	}
	if len(d.origins) > 0 {
		out.Header().Add("Vary", "Origin")
	}
	switch d.source(r) {
	case fromForeignPage:
		d.refuse(out, http.StatusForbidden, RefusedOrigin, "web pages of this origin may not call this server")
		return false
	case fromNamedPage:
		welcome(out.Header(), r)
		if isPreflight(r) {
			answerPreflight(out, r)
			return false
		}
	}
	if r.ContentLength > d.options.MaxBody {
		d.refuse(out, http.StatusRequestEntityTooLarge, RefusedBody, fmt.Sprintf("the body is longer than %d bytes", d.options.MaxBody))
		return false
	}
	return true
}

// refuse turns a request away, and its connection with it: what else would come
// of its body is not waited for.
func (d *Door) refuse(out *answer, status int, reason, description string) {
	d.options.Meter.Refused(reason)
	r := out.request
	d.log.refused("request", "reason", reason, "address", clean(Address(r)), "method", clean(r.Method), "path", clean(r.URL.Path),
		"host", clean(r.Host), "origin", clean(r.Header.Get("Origin")))
	out.Header().Set("Connection", "close")
	writeError(out, status, description)
}

func writeError(w http.ResponseWriter, status int, description string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(errorBody(errorCode(status), description))
}

// errorBody is an error as OAuth writes them.
func errorBody(code, description string) []byte {
	body, err := json.Marshal(struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, description})
	if err != nil {
		panic(err) // two strings can always be written
	}
	return append(body, '\n')
}

func errorCode(status int) string {
	switch status {
	case http.StatusForbidden:
		return "forbidden"
	case http.StatusRequestEntityTooLarge:
		return "too_large"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return "too_many_connections"
	default:
		return "internal"
	}
}

// finish ends a request, whatever became of its handler.
func (d *Door) finish(out *answer) {
	problem := recover()
	whole := problem == nil || d.mend(out, problem)
	out.renew()
	status := out.status
	if status == 0 {
		status = http.StatusOK // as net/http does for who says nothing
	}
	r := out.request
	d.options.Meter.Request(r.URL.Path, r.Method, status)
	if d.log.Enabled(r.Context(), slog.LevelDebug) {
		d.log.Debug("request", "method", clean(r.Method), "path", clean(r.URL.Path), "status", status, "bytes", out.written,
			"took", time.Since(out.began), "address", clean(Address(r)), "agent", clean(r.UserAgent()))
	}
	if !whole {
		panic(http.ErrAbortHandler) // net/http cuts the connection, and says nothing
	}
}

// mend answers for a handler that has panicked. It reports whether it could:
// where a part of the answer is already on its way nobody may take it for whole.
func (d *Door) mend(out *answer, problem any) bool {
	if problem == http.ErrAbortHandler {
		return false
	}
	r := out.request
	d.log.Error("a handler panicked", "problem", clean(fmt.Sprint(problem)), "method", clean(r.Method), "path", clean(r.URL.Path),
		"stack", string(debug.Stack()))
	if out.status != 0 {
		return false
	}
	clear(out.Header())
	secure(out.Header())
	out.Header().Set("Connection", "close")
	writeError(out, http.StatusInternalServerError, "an internal error occurred; the server's log has details")
	return true
}

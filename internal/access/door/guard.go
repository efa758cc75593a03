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
		// A copy, because net/http looks at the body of its own request at the end.
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

// security holds the headers of every answer. A handler that serves pages sets its own policy.
var security = http.Header{
	"Cache-Control":           {"no-store"},
	"X-Content-Type-Options":  {"nosniff"},
	"Referrer-Policy":         {"no-referrer"},
	"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
}

func secure(header http.Header) { maps.Copy(header, security) }

// check refuses requests that are not allowed, and answers those that need no handler. It reports whether the request is
// for the handler.
func (d *Door) check(out *answer) bool {
	r := out.request
	if !d.hosts.allow(r) {
		d.refuse(out, http.StatusForbidden, RefusedHost, fmt.Sprintf("%q is not a name of this server; to allow it, add it to OBSIDIAN_MCP_ALLOWED_HOSTS", clean(r.Host)))
		return false
	}
	if len(d.origins) > 0 {
		out.Header().Add("Vary", "Origin")
	}
	switch d.sourceOf(r) {
	case fromForeignPage:
		d.refuse(out, http.StatusForbidden, RefusedOrigin, "web pages of this origin may not call this server")
		return false
	case fromAllowedPage:
		exposeAnswer(out.Header(), r)
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

// refuse refuses a request and closes its connection, without waiting for the rest of the body.
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

// errorBody returns an error in the form that OAuth uses.
func errorBody(code, description string) []byte {
	body, err := json.Marshal(struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, description})
	if err != nil {
		panic(err) // two strings can always be encoded
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

// finish ends a request, even if its handler has panicked.
func (d *Door) finish(out *answer) {
	problem := recover()
	complete := problem == nil || d.mend(out, problem)
	out.renew()
	status := out.status
	if status == 0 {
		status = http.StatusOK // as net/http does for a handler that writes nothing
	}
	r := out.request
	d.options.Meter.Request(r.URL.Path, r.Method, status)
	if d.log.log.Enabled(r.Context(), slog.LevelDebug) {
		d.log.log.Debug("request", "method", clean(r.Method), "path", clean(r.URL.Path), "status", status, "bytes", out.written,
			"took", time.Since(out.began), "address", clean(Address(r)), "agent", clean(r.UserAgent()))
	}
	if !complete {
		panic(http.ErrAbortHandler) // net/http cuts the connection, and logs nothing
	}
}

// mend answers for a handler that has panicked. It returns false if a part of the answer is already on its way: nobody may
// take that for the complete answer.
func (d *Door) mend(out *answer, problem any) bool {
	if problem == http.ErrAbortHandler {
		return false
	}
	r := out.request
	d.log.log.Error("a handler panicked", "problem", clean(fmt.Sprint(problem)), "method", clean(r.Method), "path", clean(r.URL.Path),
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

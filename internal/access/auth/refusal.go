package auth

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// refusal says why a request is refused. Its texts are constants or safe claims, never parts of the token.
type refusal struct {
	status  int
	code    string // of RFC 6750, or "" if the challenge has none
	about   string // for the client
	scope   string // the scope that is missing
	wait    time.Duration
	who     string // the owner of the token, for the log, if known
	cause   error  // for the log
	guessed bool   // counts as a failed login: the caller has proved nothing
}

// The refusals that do not depend on the request.
var (
	noToken         = &refusal{status: http.StatusUnauthorized, about: "a token is needed: Authorization: Bearer …"}
	inQuery         = &refusal{status: http.StatusUnauthorized, code: "invalid_request", about: "a token in the URL is not accepted; use the Authorization header", guessed: true}
	severalHeaders  = &refusal{status: http.StatusBadRequest, code: "invalid_request", about: "there are several Authorization headers", guessed: true}
	otherScheme     = &refusal{status: http.StatusUnauthorized, code: "invalid_request", about: "the Authorization header must have the scheme Bearer", guessed: true}
	malformedHeader = &refusal{status: http.StatusBadRequest, code: "invalid_request", about: "the Authorization header is malformed", guessed: true}
	unknownToken    = invalid("the token is not known")
)

// invalid refuses a token that proves nothing.
func invalid(about string) *refusal {
	return &refusal{status: http.StatusUnauthorized, code: "invalid_token", about: about, guessed: true}
}

// expired refuses a token that was valid once. It does not count as a failed login: a client with many calls under way is
// refused many times at once, and must not have to wait when it comes back with a fresh token.
func expired(who string) *refusal {
	return &refusal{status: http.StatusUnauthorized, code: "invalid_token", about: "the token has expired", who: who}
}

// notListed refuses an account that the issuer knows and we do not. Another login would not help, so there is no challenge.
func notListed(who string) *refusal {
	return &refusal{status: http.StatusForbidden, code: "access_denied", about: "this account may not use this server", who: who}
}

// insufficient refuses a token that lacks a scope.
func insufficient(who, scope string) *refusal {
	return &refusal{status: http.StatusForbidden, code: "insufficient_scope", about: "the token lacks the scope " + scope, scope: scope, who: who}
}

// unreachable means that a token cannot be checked without the issuer. The answer is not 401, at which the client would
// throw the token away.
func unreachable(cause error) *refusal {
	return &refusal{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", about: "the authorization server cannot be reached", wait: keyCoolDown, cause: cause}
}

// tooMany refuses an address with too many failed logins.
func tooMany(wait time.Duration) *refusal {
	return &refusal{status: http.StatusTooManyRequests, code: "too_many_requests", about: "too many failed logins from this address", wait: wait}
}

// answer writes the refusal. The challenge leads a client to the metadata of this resource, which name the authorization
// server.
func (r *refusal) answer(w http.ResponseWriter, metadata, scopes string) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "application/json")
	if r.challenges() {
		header.Set("WWW-Authenticate", r.challenge(metadata, scopes))
	}
	if r.wait > 0 {
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(r.wait.Seconds()))))
	}
	w.WriteHeader(r.status)
	code := r.code
	if code == "" {
		code = "invalid_token"
	}
	body := map[string]string{"error": code, "error_description": r.about}
	_ = json.NewEncoder(w).Encode(body) // the client may have disconnected
}

// challenges reports whether another token would help.
func (r *refusal) challenges() bool {
	return r.status == http.StatusUnauthorized || r.status == http.StatusBadRequest || r.code == "insufficient_scope"
}

// challenge returns the value of WWW-Authenticate. Everything in it is our own, without quotes and backslashes.
func (r *refusal) challenge(metadata, scopes string) string {
	if r.scope != "" {
		scopes = r.scope
	}
	var parameters []string
	add := func(name, value string) {
		if value != "" {
			parameters = append(parameters, name+`="`+value+`"`)
		}
	}
	add("realm", "obsidian-mcp")
	add("error", r.code)
	if r.code != "" {
		add("error_description", r.about)
	}
	add("scope", scopes)
	add("resource_metadata", metadata)
	return "Bearer " + strings.Join(parameters, ", ")
}

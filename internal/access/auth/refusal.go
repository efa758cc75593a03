package auth

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// refusal is why a request goes no further. Its texts are constants or safe
// claims, never anything of the token.
type refusal struct {
	status  int
	code    string // RFC 6750's, or "" where the challenge has none
	about   string // for the client
	scope   string // what would be needed
	wait    time.Duration
	who     string // whom it is about, for the log, where that is known
	cause   error  // for the log
	guessed bool   // the caller did not prove anything: a failed login
}

// The refusals that do not depend on the request.
var (
	noToken         = &refusal{status: http.StatusUnauthorized, about: "a token is needed: Authorization: Bearer …"}
	inQuery         = &refusal{status: http.StatusUnauthorized, code: "invalid_request", about: "a token in the address is not accepted, use the Authorization header", guessed: true}
	severalHeaders  = &refusal{status: http.StatusBadRequest, code: "invalid_request", about: "there are several Authorization headers", guessed: true}
	otherScheme     = &refusal{status: http.StatusUnauthorized, code: "invalid_request", about: "the Authorization header must have the scheme Bearer", guessed: true}
	malformedHeader = &refusal{status: http.StatusBadRequest, code: "invalid_request", about: "the Authorization header is malformed", guessed: true}
	unknownToken    = invalid("the token is not known")
)

// invalid is a token that is not what it should be.
func invalid(about string) *refusal {
	return &refusal{status: http.StatusUnauthorized, code: "invalid_token", about: about, guessed: true}
}

// expired is a token that was right once. It is no failed login: a client with
// many calls under way meets it many times at once, and must not be made to
// wait when it comes back with a fresh one.
func expired(who string) *refusal {
	return &refusal{status: http.StatusUnauthorized, code: "invalid_token", about: "the token has expired", who: who}
}

// notListed is somebody whom the issuer knows and we do not. Another login
// would not help, so there is no challenge.
func notListed(who string) *refusal {
	return &refusal{status: http.StatusForbidden, code: "access_denied", about: "this account may not use this server", who: who}
}

// insufficient is a token without the scope that is needed.
func insufficient(who, scope string) *refusal {
	return &refusal{status: http.StatusForbidden, code: "insufficient_scope", about: "the token lacks the scope " + scope, scope: scope, who: who}
}

// unreachable is an issuer without whom the token cannot be judged. That is
// no fault of the token: a 401 would have the client throw it away.
func unreachable(cause error) *refusal {
	return &refusal{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", about: "the authorization server cannot be reached", wait: keyCoolDown, cause: cause}
}

// tooMany is an address that has failed too often.
func tooMany(wait time.Duration) *refusal {
	return &refusal{status: http.StatusTooManyRequests, code: "too_many_requests", about: "too many failed logins from this address", wait: wait}
}

// answer writes the refusal. The challenge leads a client to the metadata of
// this resource, and by them to the authorization server.
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
	_ = json.NewEncoder(w).Encode(body) // a client that is gone needs no answer
}

// challenges reports whether another token would help.
func (r *refusal) challenges() bool {
	return r.status == http.StatusUnauthorized || r.status == http.StatusBadRequest || r.code == "insufficient_scope"
}

// challenge is the value of WWW-Authenticate. All that is in it is ours, and
// has neither quotes nor backslashes.
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

package auth

import (
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Options say who may call.
type Options struct {
	Tokens       []Token
	OAuth        *OAuth
	FailedLogins int                        // allowed per minute and address; 0: no limit
	Address      func(*http.Request) string // the client's address; nil: the other end of the connection
	Log          *slog.Logger               // nil: no log
	Now          func() time.Time           // nil: time.Now
}

// Guard admits callers that may call.
type Guard struct {
	options  Options
	issuer   *issuer   // nil: no OAuth
	failures *failures // nil: no limit
}

// New makes a guard. It contacts nobody: the server can start while the authorization server is down.
func New(options Options) (*Guard, error) {
	if options.Address == nil {
		options.Address = remoteHost
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if err := checkTokens(options.Tokens); err != nil {
		return nil, err
	}
	options.Tokens = slices.Clone(options.Tokens)
	g := &Guard{options: options}
	if options.FailedLogins > 0 {
		g.failures = newFailures(options.FailedLogins)
	}
	if options.OAuth != nil {
		var err error
		if g.issuer, err = newIssuer(*options.OAuth, options); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Open reports whether no login is configured, so that everybody may do everything. The program has to decide whether that
// is acceptable: on loopback, or where the network keeps others out.
func (g *Guard) Open() bool { return len(g.options.Tokens) == 0 && g.issuer == nil }

// Wrap calls a handler for admitted callers, with the Principal in the request's context and without their token. It
// answers all others itself.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return g.wrap(next, func(w http.ResponseWriter, r *http.Request, refused *refusal) {
		refused.answer(w, g.metadataURL(r), g.scopes())
	})
}

// Refused says why a caller is refused, for a surface that talks to people.
type Refused struct {
	Status int
	About  string // one sentence
	Wait   time.Duration
}

// WrapFor is Wrap for a surface that answers refused callers in its own way.
func (g *Guard) WrapFor(next http.Handler, answer func(http.ResponseWriter, *http.Request, Refused)) http.Handler {
	return g.wrap(next, func(w http.ResponseWriter, r *http.Request, refused *refusal) {
		answer(w, r, Refused{Status: refused.status, About: refused.about, Wait: refused.wait})
	})
}

func (g *Guard) wrap(next http.Handler, answer func(http.ResponseWriter, *http.Request, *refusal)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		principal, refused := g.admit(r)
		if refused != nil {
			g.report(r, refused)
			answer(w, r, refused)
			return
		}
		admitted := r.WithContext(With(r.Context(), principal))
		admitted.Header = r.Header.Clone()
		admitted.Header.Del("Authorization")
		next.ServeHTTP(w, admitted)
	})
}

// admit finds out who sent a request. It refuses an address with too many failures before anything is computed; see
// failures for the exception.
func (g *Guard) admit(r *http.Request) (*Principal, *refusal) {
	if g.Open() {
		caller := anonymous
		return &caller, nil
	}
	token, refused := bearerToken(r)
	if token == "" && refused == nil {
		return nil, noToken // not a failed login: this is how clients ask where to log in
	}
	if g.failures == nil {
		return g.judge(r, token, refused)
	}
	address := g.options.Address(r)
	if wait := g.failures.wait(address, token, g.options.Now()); wait > 0 {
		return nil, tooMany(wait)
	}
	principal, refused := g.judge(r, token, refused)
	switch {
	case refused == nil:
		g.failures.succeeded(address, token)
	case refused.guessed:
		g.failures.failed(address, g.options.Now())
	}
	return principal, refused
}

// judge returns the owner of a token, unless the token could not be read.
func (g *Guard) judge(r *http.Request, token string, unreadable *refusal) (*Principal, *refusal) {
	if unreadable != nil {
		return nil, unreadable
	}
	if found := findToken(g.options.Tokens, token); found != nil {
		return found.principal(g.options.Now())
	}
	if g.issuer == nil || strings.Count(token, ".") != 2 {
		return nil, unknownToken
	}
	return g.issuer.principal(r.Context(), token)
}

// report logs a refusal, unless it is an ordinary one, or one of so many that they would fill the log.
func (g *Guard) report(r *http.Request, refused *refusal) {
	if refused == noToken || refused.status == http.StatusTooManyRequests {
		return
	}
	facts := []any{"reason", refused.about, "address", g.options.Address(r)}
	if refused.who != "" {
		facts = append(facts, "principal", refused.who)
	}
	if refused.cause != nil {
		facts = append(facts, "error", refused.cause)
	}
	g.options.Log.WarnContext(r.Context(), "a login was refused", facts...)
}

func remoteHost(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

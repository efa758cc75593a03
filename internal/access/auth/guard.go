package auth

import (
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Options say who may come in.
type Options struct {
	Tokens       []Token
	OAuth        *OAuth
	FailedLogins int                        // a minute and address; 0: no limit
	Address      func(*http.Request) string // who sent a request; nil: the other end of the connection
	Log          *slog.Logger               // nil: none
	Now          func() time.Time           // nil: the clock
}

// Guard lets callers in who may come in.
type Guard struct {
	options  Options
	issuer   *issuer   // nil: no OAuth
	failures *failures // nil: no limit
}

// New makes a guard. It asks nobody for anything: an authorization server that
// is down is no reason not to start.
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

// Open reports whether the guard lets everybody do everything, since there is
// nothing that a caller could show. Whether that may be is for the caller to
// decide: on loopback, or where the network is the guard.
func (g *Guard) Open() bool { return len(g.options.Tokens) == 0 && g.issuer == nil }

// Wrap has a handler called for those who may come in, with the Principal in
// the request's context and without their token; all others get their answer
// here.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return g.wrap(next, func(w http.ResponseWriter, r *http.Request, refused *refusal) {
		refused.answer(w, g.metadataURL(r), g.scopes())
	})
}

// Refused is why somebody is not let in, for a surface that speaks to people.
type Refused struct {
	Status int
	About  string // one sentence
	Wait   time.Duration
}

// WrapFor is Wrap for a surface that has its own way of answering those who may
// not come in.
func (g *Guard) WrapFor(next http.Handler, answer func(http.ResponseWriter, *http.Request, Refused)) http.Handler {
	return g.wrap(next, func(w http.ResponseWriter, r *http.Request, refused *refusal) {
		answer(w, r, Refused{Status: refused.status, About: refused.about, Wait: refused.wait})
	})
}

func (g *Guard) wrap(next http.Handler, answer func(http.ResponseWriter, *http.Request, *refusal)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		principal, refused := g.admit(r)
		if refused != nil {
			g.note(r, refused)
			answer(w, r, refused)
			return
		}
		inside := r.WithContext(With(r.Context(), principal))
		inside.Header = r.Header.Clone()
		inside.Header.Del("Authorization")
		next.ServeHTTP(w, inside)
	})
}

// admit finds who sends a request. An address that has failed too often waits
// before anything is computed; see failures for whom that spares.
func (g *Guard) admit(r *http.Request) (*Principal, *refusal) {
	if g.Open() {
		everybody := anonymous
		return &everybody, nil
	}
	token, refused := bearerToken(r)
	if token == "" && refused == nil {
		return nil, noToken // how clients ask where to log in: no failed login
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

// judge finds whom a token stands for, if it could be read at all.
func (g *Guard) judge(r *http.Request, token string, unreadable *refusal) (*Principal, *refusal) {
	if unreadable != nil {
		return nil, unreadable
	}
	if known := findToken(g.options.Tokens, token); known != nil {
		return known.principal(g.options.Now())
	}
	if g.issuer == nil || strings.Count(token, ".") != 2 {
		return nil, unknownToken
	}
	return g.issuer.principal(r.Context(), token)
}

// note writes a refusal to the log, unless it is one of those that are
// ordinary, or so many that they would fill it.
func (g *Guard) note(r *http.Request, refused *refusal) {
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

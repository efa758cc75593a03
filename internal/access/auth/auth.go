// Package auth finds out who is calling and what they may do.
//
// A Guard wraps an HTTP handler. It identifies a caller by a bearer token from the config file or, as an OAuth 2.1 resource
// server, by an access token that a configured authorization server signed for us, and passes the Principal on in the
// request's context. It answers refused requests itself, with the challenge of RFC 6750 and RFC 9728 that leads a client to
// the login.
//
// It promises that
//
//   - a token is read only from the Authorization header and goes no further: not to the handler, a log or an error;
//   - tokens from the config file are compared by digest, in constant time;
//   - only asymmetric signatures by a key that the issuer publishes are accepted, and only tokens issued for us: issuer and
//     audience must match byte for byte;
//   - an issuer that is down, slow or hostile costs bounded time, memory and requests, and never keeps the tokens from the
//     config file from working;
//   - an address with too many failed logins has to wait.
//
// It only carries grants. What a grant means for a note or a tool is decided elsewhere.
package auth

import (
	"context"
	"time"
)

// Principal is who is calling.
type Principal struct {
	ID    string // unique: "token phone", "oauth https://issuer subject", "anonymous"
	Name  string // for people and logs; not secret
	Grant Grant
	Until time.Time // when the credentials expire; zero: never
}

// anonymous is every caller if no login is configured.
var anonymous = Principal{ID: "anonymous", Name: "anonymous"}

// Anonymous reports whether nobody has logged in.
func (p *Principal) Anonymous() bool { return p.ID == anonymous.ID }

type contextKey struct{}

// With adds a principal to a context.
func With(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// Of returns the principal in a context. It is nil without a guard, as on stdio.
func Of(ctx context.Context) *Principal {
	p, _ := ctx.Value(contextKey{}).(*Principal)
	return p
}

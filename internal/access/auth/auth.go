// Package auth says who is calling and what they may do.
//
// A Guard stands before an HTTP handler. It knows a caller by a bearer token
// of the config file, or, as an OAuth 2.1 resource server, by an access token
// that a given authorization server signed for us; and hands the Principal
// down in the request's context. It answers what it refuses itself, with the
// challenge of RFC 6750 and RFC 9728 that leads a client to the login.
//
// What it promises:
//
//   - a token is taken from the Authorization header alone, and goes no
//     further: neither to the handler nor into a log or an error;
//   - tokens of the config file are compared by digest, in a time that says
//     nothing about them;
//   - only asymmetric signatures by a key that the issuer publishes count, and
//     only tokens made for us: issuer and audience must be equal to the byte;
//   - what the issuer does (being down, slow or hostile) costs bounded time,
//     memory and requests, and never keeps the tokens of the config file from
//     working;
//   - an address that fails too often waits.
//
// What a grant means for a note or a tool is for others to say: this package
// only carries it.
package auth

import (
	"context"
	"time"
)

// Principal is who is calling.
type Principal struct {
	ID    string // unique: "token phone", "oauth https://issuer subject", "anonymous"
	Name  string // for people and logs; no secret
	Grant Grant
	Until time.Time // when what they have shown expires; zero: never
}

// anonymous is everybody, where no login is configured.
var anonymous = Principal{ID: "anonymous", Name: "anonymous"}

// Anonymous reports whether nobody has logged in.
func (p *Principal) Anonymous() bool { return p.ID == anonymous.ID }

type contextKey struct{}

// With hands a principal down.
func With(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// Of is the principal that was handed down: nil where no guard stood before,
// as on stdio.
func Of(ctx context.Context) *Principal {
	p, _ := ctx.Value(contextKey{}).(*Principal)
	return p
}

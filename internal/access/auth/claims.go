package auth

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/json" // exact keys, none twice
)

// clockSkew is how far the issuer's clock and ours may be apart.
const clockSkew = 60 * time.Second

// maxSubject is the length that OpenID Connect gives a subject.
const maxSubject = 255

// claims are what an access token says, as far as it matters here.
type claims struct {
	Issuer        string   `json:"iss"`
	Subject       string   `json:"sub"`
	Audience      strs     `json:"aud"`
	Expires       *float64 `json:"exp"`
	NotBefore     *float64 `json:"nbf"`
	IssuedAt      *float64 `json:"iat"`
	Scope         strs     `json:"scope"`
	Scp           strs     `json:"scp"` // what some issuers call it
	Email         string   `json:"email"`
	EmailVerified bool     `json:"email_verified"`
}

// strs is a list of strings, or a string alone.
type strs []string

// UnmarshalJSON reads either form.
func (s *strs) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*s = strs{one}
		return nil
	}
	var many []string
	err := json.Unmarshal(text, &many)
	*s = many
	return err
}

// has reports whether the token has a scope.
func (c *claims) has(scope string) bool {
	for _, words := range slices.Concat(c.Scope, c.Scp) {
		if slices.Contains(strings.Fields(words), scope) {
			return true
		}
	}
	return false
}

// readClaims reads what a token with a good signature claims, and refuses what
// is not for us, or not now.
func (i *issuer) readClaims(payload []byte) (*claims, *refusal) {
	var said claims
	if err := json.Unmarshal(payload, &said); err != nil {
		return nil, invalid("the token's claims cannot be read")
	}
	switch {
	case said.Issuer != i.options.Issuer:
		return nil, invalid("the token is of another issuer")
	case !slices.ContainsFunc(i.audiences(), func(ours string) bool { return slices.Contains(said.Audience, ours) }):
		return nil, invalid("the token is not made for this server")
	case said.Subject == "" || len(said.Subject) > maxSubject:
		return nil, invalid("the token names no subject")
	}
	return i.inTime(&said)
}

// until is when a token ends. One that ends in the far future does not.
func (c *claims) until() time.Time {
	if *c.Expires > float64(math.MaxInt32)*4 {
		return time.Time{}
	}
	return time.Unix(int64(*c.Expires), 0).Add(clockSkew)
}

// inTime refuses a token before and after its time. Times are compared as
// they came: no number is too large for that.
func (i *issuer) inTime(said *claims) (*claims, *refusal) {
	now, skew := float64(i.now().UnixMilli())/1000, clockSkew.Seconds()
	switch {
	case said.Expires == nil:
		return nil, invalid("the token never expires")
	case now >= *said.Expires+skew:
		return nil, expired(shown(said.Subject))
	case said.NotBefore != nil && now < *said.NotBefore-skew:
		return nil, invalid("the token is not valid yet")
	case said.IssuedAt != nil && now < *said.IssuedAt-skew:
		return nil, invalid("the token is of the future")
	}
	return said, nil
}

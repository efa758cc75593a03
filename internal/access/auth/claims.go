package auth

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/json" // keys are case-sensitive and unique
)

// clockSkew is how much the issuer's clock and ours may differ.
const clockSkew = 60 * time.Second

// maxSubject is the longest subject that OpenID Connect allows.
const maxSubject = 255

// claims holds the claims of an access token that matter here.
type claims struct {
	Issuer        string     `json:"iss"`
	Subject       string     `json:"sub"`
	Audience      stringList `json:"aud"`
	Expires       *float64   `json:"exp"`
	NotBefore     *float64   `json:"nbf"`
	IssuedAt      *float64   `json:"iat"`
	Scope         stringList `json:"scope"`
	Scp           stringList `json:"scp"` // what some issuers call it
	Email         string     `json:"email"`
	EmailVerified bool       `json:"email_verified"`
}

// stringList is a list of strings, or a single string.
type stringList []string

// UnmarshalJSON reads either form.
func (s *stringList) UnmarshalJSON(text []byte) error {
	var single string
	if json.Unmarshal(text, &single) == nil {
		*s = stringList{single}
		return nil
	}
	var list []string
	err := json.Unmarshal(text, &list)
	*s = list
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

// readClaims reads the claims of a token with a good signature. It refuses a token that is not for us, or not valid now.
func (i *issuer) readClaims(payload []byte) (*claims, *refusal) {
	var read claims
	if err := json.Unmarshal(payload, &read); err != nil {
		return nil, invalid("the token's claims cannot be read")
	}
	switch {
	case read.Issuer != i.options.Issuer:
		return nil, invalid("the token is from another issuer")
	case !slices.ContainsFunc(i.audiences(), func(ours string) bool { return slices.Contains(read.Audience, ours) }):
		return nil, invalid("the token was not issued for this server")
	case read.Subject == "" || len(read.Subject) > maxSubject:
		return nil, invalid("the token has no valid subject")
	}
	return i.inTime(&read)
}

// until returns when a token expires; zero, which means never, if that is in the far future.
func (c *claims) until() time.Time {
	if *c.Expires > float64(math.MaxInt32)*4 {
		return time.Time{}
	}
	return time.Unix(int64(*c.Expires), 0).Add(clockSkew)
}

// inTime refuses a token before and after its validity. It compares times as the numbers in the token, so no number is too
// large.
func (i *issuer) inTime(read *claims) (*claims, *refusal) {
	now, skew := float64(i.now().UnixMilli())/1000, clockSkew.Seconds()
	switch {
	case read.Expires == nil:
		return nil, invalid("the token has no expiry")
	case now >= *read.Expires+skew:
		return nil, expired(shown(read.Subject))
	case read.NotBefore != nil && now < *read.NotBefore-skew:
		return nil, invalid("the token is not valid yet")
	case read.IssuedAt != nil && now < *read.IssuedAt-skew:
		return nil, invalid("the token was issued in the future")
	}
	return read, nil
}

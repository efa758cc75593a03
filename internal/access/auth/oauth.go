package auth

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"obsidian-mcp/internal/fault"
)

// OAuth says whose access tokens are accepted, and for which users.
type OAuth struct {
	Issuer        string       // the authorization server, exactly as in its tokens
	Resource      string       // the public URL of this server's endpoint: https://notes.example.com/mcp
	Audience      string       // of tokens for us; "": the resource
	Others        []Endpoint   // further endpoints, which clients take for resources of their own
	Users         []User       // who may call
	RequireScopes bool         // tokens need notes:read, or notes:write to write; false: scopes are ignored
	HTTP          *http.Client // for requests to the issuer; nil: a default one
}

// Endpoint is another address of this server that clients log in to.
type Endpoint struct {
	Paths    []string // of requests to it
	Resource string   // its public URL
}

// User is an account of the issuer. Either Subject or Email is set.
type User struct {
	Subject string // the issuer's name for the account; "*": everyone with a token from the issuer
	Email   string // accepted only if the issuer says that it has verified it
	Grant   Grant
}

// everyone is the subject that stands for all accounts.
const everyone = "*"

// issuer checks the access tokens of one authorization server.
type issuer struct {
	options  OAuth
	resource *url.URL
	others   map[string]*url.URL // resources by the paths of requests to them
	keys     *keyring
	now      func() time.Time
}

func newIssuer(options OAuth, guard Options) (*issuer, error) {
	where, err := webAddress("issuer", options.Issuer)
	if err != nil {
		return nil, err
	}
	resource, err := webAddress("resource", options.Resource)
	if err != nil {
		return nil, err
	}
	if err := checkUsers(options.Users); err != nil {
		return nil, err
	}
	others, err := readEndpoints(options.Others)
	if err != nil {
		return nil, err
	}
	if options.Audience == "" {
		options.Audience = options.Resource
	} else {
		options.Others = nil // one audience: all endpoints are one resource
	}
	options.Users = slices.Clone(options.Users)
	keys := newKeyring(where, options.Issuer, options.HTTP, guard)
	return &issuer{options: options, resource: resource, others: others, keys: keys, now: guard.Now}, nil
}

func readEndpoints(endpoints []Endpoint) (map[string]*url.URL, error) {
	byPath := map[string]*url.URL{}
	for _, endpoint := range endpoints {
		resource, err := webAddress("resource", endpoint.Resource)
		if err != nil {
			return nil, err
		}
		for _, path := range endpoint.Paths {
			byPath[path] = resource
		}
	}
	return byPath, nil
}

// audiences lists the accepted audiences of tokens.
func (i *issuer) audiences() []string {
	all := []string{i.options.Audience}
	for _, other := range i.options.Others {
		all = append(all, other.Resource)
	}
	return all
}

// CheckAddress returns an error if OAuth cannot use an address.
func CheckAddress(what, text string) error {
	_, err := webAddress(what, text)
	return err
}

// webAddress reads a URL to which clients are sent, or from which keys are fetched: https, except on this machine.
func webAddress(what, text string) (*url.URL, error) {
	address, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fault.InvalidArgument.Errorf("the OAuth %s is not a URL", what)
	case !secure(address):
		return nil, fault.InvalidArgument.Errorf("the OAuth %s '%s' must begin with https://", what, address.Redacted()).
			WithHint("http:// is only for servers on this machine")
	case address.User != nil || address.RawQuery != "" || address.ForceQuery || strings.ContainsAny(text, `#"\`):
		return nil, fault.InvalidArgument.Errorf("the OAuth %s must have only a host and a path", what)
	}
	return address, nil
}

// secure reports whether nobody on the way can change what is fetched.
func secure(address *url.URL) bool {
	switch address.Scheme {
	case "https":
		return address.Hostname() != ""
	case "http":
		return isLoopback(address.Hostname())
	}
	return false
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// checkUsers refuses users that cannot be told apart, and an empty list, with which nobody could call.
func checkUsers(users []User) error {
	if len(users) == 0 {
		return fault.InvalidArgument.Errorf("OAuth has no users").WithHint(`list subjects or emails; the subject "*" admits everyone with a token from the issuer`)
	}
	for i, user := range users {
		if (user.Subject == "") == (user.Email == "") {
			return fault.InvalidArgument.Errorf("an OAuth user must have either a subject or an email")
		}
		for _, other := range users[:i] {
			if user.Subject == other.Subject && asciiEqualFold(user.Email, other.Email) {
				return fault.InvalidArgument.Errorf("the OAuth user '%s' is listed twice", user.Subject+user.Email)
			}
		}
	}
	return nil
}

// principal returns the owner of an access token.
func (i *issuer) principal(ctx context.Context, token string) (*Principal, *refusal) {
	claims, refused := i.verify(ctx, token)
	if refused != nil {
		return nil, refused
	}
	name := shown(claims.Subject)
	if claims.EmailVerified && claims.Email != "" {
		name = shown(claims.Email)
	}
	user := i.user(claims)
	if user == nil {
		return nil, notListed(name)
	}
	grant := user.Grant
	if i.options.RequireScopes && !claims.has(ScopeWrite) {
		if !claims.has(ScopeRead) {
			return nil, insufficient(name, ScopeRead)
		}
		grant.ReadOnly = true
	}
	return &Principal{ID: "oauth " + i.options.Issuer + " " + claims.Subject, Name: name, Grant: grant, Until: claims.until()}, nil
}

// shownLength is how much of a name is shown to people.
const shownLength = 100

// shown returns a name that is safe in a log: its owner chose it, and it must not forge lines or control a terminal.
func shown(name string) string {
	runes := []rune(name)
	if len(runes) > shownLength {
		runes = append(runes[:shownLength], '…')
	}
	for i, r := range runes {
		if !unicode.IsPrint(r) {
			runes[i] = unicode.ReplacementChar
		}
	}
	return string(runes)
}

// user returns the user that the claims name: by subject, then by verified email, then everyone.
func (i *issuer) user(claims *claims) *User {
	find := func(is func(User) bool) *User {
		if at := slices.IndexFunc(i.options.Users, is); at >= 0 {
			return &i.options.Users[at]
		}
		return nil
	}
	bySubject := find(func(u User) bool { return u.Subject == claims.Subject })
	byEmail := find(func(u User) bool {
		return claims.EmailVerified && u.Email != "" && asciiEqualFold(u.Email, claims.Email)
	})
	return cmp.Or(bySubject, byEmail, find(func(u User) bool { return u.Subject == everyone }))
}

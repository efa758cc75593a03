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

// OAuth says whose access tokens count, and for whom.
type OAuth struct {
	Issuer        string       // the authorization server's, to the byte as its tokens have it
	Resource      string       // the public URL of this server's endpoint: https://notes.example.com/mcp
	Audience      string       // what tokens for us are made for; "": the resource
	Others        []Endpoint   // of the same server, which clients take for resources of their own
	Users         []User       // who may come in
	RequireScopes bool         // tokens need notes:read, or notes:write to write; false: scopes are not looked at
	HTTP          *http.Client // to ask the issuer with; nil: one of our own
}

// Endpoint is another address of this server that clients log in to.
type Endpoint struct {
	Paths    []string // that requests to it have
	Resource string   // its public URL
}

// User is somebody whom the issuer may name. Either Subject or Email is set.
type User struct {
	Subject string // the issuer's own name for them; "*": everyone to whom the issuer gives a token
	Email   string // counts only where the issuer says that it has verified it
	Grant   Grant
}

// everyone is the subject that stands for all.
const everyone = "*"

// issuer judges the access tokens of one authorization server.
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
		options.Others = nil // all of it is one resource
	}
	options.Users = slices.Clone(options.Users)
	keys := newKeyring(where, options.Issuer, options.HTTP, guard)
	return &issuer{options: options, resource: resource, others: others, keys: keys, now: guard.Now}, nil
}

func readEndpoints(endpoints []Endpoint) (map[string]*url.URL, error) {
	byPath := map[string]*url.URL{}
	for _, one := range endpoints {
		resource, err := webAddress("resource", one.Resource)
		if err != nil {
			return nil, err
		}
		for _, path := range one.Paths {
			byPath[path] = resource
		}
	}
	return byPath, nil
}

// audiences are what tokens may be made for.
func (i *issuer) audiences() []string {
	all := []string{i.options.Audience}
	for _, other := range i.options.Others {
		all = append(all, other.Resource)
	}
	return all
}

// CheckAddress tells why an address cannot be one of OAuth's.
func CheckAddress(what, text string) error {
	_, err := webAddress(what, text)
	return err
}

// webAddress reads a URL that other parties are sent to or that keys are
// fetched from: https, except on this very machine.
func webAddress(what, text string) (*url.URL, error) {
	address, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fault.InvalidArgument.Errorf("the OAuth %s is no URL", what)
	case !secure(address):
		return nil, fault.InvalidArgument.Errorf("the OAuth %s '%s' must begin with https://", what, address.Redacted()).
			WithHint("http:// is for servers on this machine alone")
	case address.User != nil || address.RawQuery != "" || address.ForceQuery || strings.ContainsAny(text, `#"\`):
		return nil, fault.InvalidArgument.Errorf("the OAuth %s must have a host and a path alone", what)
	}
	return address, nil
}

// secure reports whether nobody between can change what is fetched.
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

// checkUsers finds users who cannot be told apart. None at all is an error
// too: nobody could come in.
func checkUsers(users []User) error {
	if len(users) == 0 {
		return fault.InvalidArgument.Errorf("OAuth has no users").WithHint(`list subjects or emails; the subject "*" admits everyone to whom the issuer gives a token`)
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

// principal is whom an access token stands for.
func (i *issuer) principal(ctx context.Context, token string) (*Principal, *refusal) {
	claims, refused := i.verify(ctx, token)
	if refused != nil {
		return nil, refused
	}
	who := shown(claims.Subject)
	if claims.EmailVerified && claims.Email != "" {
		who = shown(claims.Email)
	}
	user := i.user(claims)
	if user == nil {
		return nil, notListed(who)
	}
	grant := user.Grant
	if i.options.RequireScopes && !claims.has(ScopeWrite) {
		if !claims.has(ScopeRead) {
			return nil, insufficient(who, ScopeRead)
		}
		grant.ReadOnly = true
	}
	return &Principal{ID: "oauth " + i.options.Issuer + " " + claims.Subject, Name: who, Grant: grant, Until: claims.until()}, nil
}

// shownLength is how much of a name is shown to people.
const shownLength = 100

// shown is a name as it may stand in a log: its owner chose it, and it must
// not forge lines or move the cursor of whoever reads them.
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

// user finds who is named by the claims: by the subject, then by a verified
// email, then among everyone.
func (i *issuer) user(claims *claims) *User {
	named := func(is func(User) bool) *User {
		if at := slices.IndexFunc(i.options.Users, is); at >= 0 {
			return &i.options.Users[at]
		}
		return nil
	}
	bySubject := named(func(u User) bool { return u.Subject == claims.Subject })
	byEmail := named(func(u User) bool {
		return claims.EmailVerified && u.Email != "" && asciiEqualFold(u.Email, claims.Email)
	})
	return cmp.Or(bySubject, byEmail, named(func(u User) bool { return u.Subject == everyone }))
}

package auth_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/scope"
)

func TestClaimsAreChecked(t *testing.T) {
	login := newFakeIssuer()
	g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: (&clock{noon}).now})
	at := func(seconds float64) float64 { return float64(noon.Unix()) + seconds }
	for _, c := range []struct {
		name    string
		changes map[string]any
		about   string // "": admitted
	}{
		{"all right", nil, ""},
		{"audience in a list", map[string]any{"aud": []string{"https://other.example", resource}}, ""},
		{"other audience", map[string]any{"aud": "https://other.example/mcp"}, "the token was not issued for this server"},
		{"audience with a slash", map[string]any{"aud": resource + "/"}, "the token was not issued for this server"},
		{"audience that contains ours", map[string]any{"aud": "x" + resource}, "the token was not issued for this server"},
		{"no audience", map[string]any{"aud": nil}, "the token was not issued for this server"},
		{"audience in an empty list", map[string]any{"aud": []string{}}, "the token was not issued for this server"},
		{"audience that is a number", map[string]any{"aud": 7}, "the token's claims cannot be read"},
		{"other issuer", map[string]any{"iss": "https://evil.example"}, "the token is from another issuer"},
		{"issuer with a slash", map[string]any{"iss": issuerURL + "/"}, "the token is from another issuer"},
		{"no issuer", map[string]any{"iss": nil}, "the token is from another issuer"},
		{"expired", map[string]any{"exp": at(-3600)}, "the token has expired"},
		{"expired within the skew", map[string]any{"exp": at(-59)}, ""},
		{"expired just beyond it", map[string]any{"exp": at(-60)}, "the token has expired"},
		{"expires with a fraction", map[string]any{"exp": at(0.5)}, ""},
		{"no expiry", map[string]any{"exp": nil}, "the token has no expiry"},
		{"expiry in words", map[string]any{"exp": "2030-01-01"}, "the token's claims cannot be read"},
		{"expiry without measure", map[string]any{"exp": 1e300}, ""},
		{"expiry before time", map[string]any{"exp": -1e300}, "the token has expired"},
		{"not yet", map[string]any{"nbf": at(61)}, "the token is not valid yet"},
		{"not yet, within the skew", map[string]any{"nbf": at(59)}, ""},
		{"made in the future", map[string]any{"iat": at(3600)}, "the token was issued in the future"},
		{"made long ago", map[string]any{"iat": at(-1e9)}, ""},
		{"no time of making", map[string]any{"iat": nil}, ""},
		{"no subject", map[string]any{"sub": nil}, "the token has no valid subject"},
		{"empty subject", map[string]any{"sub": ""}, "the token has no valid subject"},
		{"endless subject", map[string]any{"sub": strings.Repeat("s", 256)}, "the token has no valid subject"},
		{"keys in capitals", map[string]any{"aud": nil, "AUD": resource}, "the token was not issued for this server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := g.bearer(t, access(t, c.changes))
			if c.about == "" {
				got.expect(t, 200, "")
				if got.who.ID != "oauth "+issuerURL+" user-7" || got.who.Name != "user-7" || !got.who.Grant.Unlimited() {
					t.Errorf("admitted as %+v", got.who)
				}
				return
			}
			got.expect(t, 401, "invalid_token")
			if got.About != c.about || !strings.Contains(got.challenge, `error_description="`+c.about+`"`) {
				t.Errorf("says %q, %s", got.About, got.challenge)
			}
		})
	}
	valid, _ := json.Marshal(claims(nil))
	for _, payload := range []string{"", "null", "[]", "{", `{"sub":"a",` + string(valid[1:]), string(valid) + "{}"} {
		g.bearer(t, sign(t, rsaKey, jose.RS256, map[string]any{"kid": "one"}, []byte(payload))).expect(t, 401, "invalid_token")
	}
	if fetches := login.fetches(); fetches != 1 {
		t.Errorf("the keys were fetched %d times", fetches)
	}
}

func TestAcceptedAlgorithms(t *testing.T) {
	for alg, key := range map[jose.SignatureAlgorithm]crypto.Signer{
		jose.RS256: rsaKey, jose.RS384: rsaKey, jose.RS512: rsaKey, jose.PS256: rsaKey, jose.PS384: rsaKey, jose.PS512: rsaKey,
		jose.ES256: p256, jose.ES384: p384, jose.ES512: p521, jose.EdDSA: edKey,
	} {
		for _, typ := range []string{"JWT", "jwt", "at+jwt", "application/at+jwt"} {
			login := newFakeIssuer()
			login.keys = []any{jose.JSONWebKey{Key: key.Public(), KeyID: "k", Algorithm: string(alg), Use: "sig"}}
			g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: (&clock{noon}).now})
			got := g.bearer(t, sign(t, key, alg, map[string]any{"kid": "k", "typ": typ}, claims(nil)))
			if got.status != 200 {
				t.Errorf("%s, %s: %d %s", alg, typ, got.status, got.About)
			}
		}
	}
}

// forge assembles a token from a header and a signature.
func forge(header string, signature func(input string) []byte) string {
	payload, _ := json.Marshal(claims(nil))
	encode := base64.RawURLEncoding.EncodeToString
	input := encode([]byte(header)) + "." + encode(payload)
	return input + "." + encode(signature(input))
}

func hs256(secret []byte) func(string) []byte {
	return func(input string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(input))
		return mac.Sum(nil)
	}
}

func nothing(string) []byte { return nil }

// byIssuer signs with the issuer's key, by RS256.
func byIssuer(input string) []byte {
	digest := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(nil, rsaKey, crypto.SHA256, digest[:])
	if err != nil {
		panic(err)
	}
	return signature
}

func TestForgedTokensAreRefused(t *testing.T) {
	login := newFakeIssuer()
	published := func(key any, id string, change func(*jose.JSONWebKey)) {
		jwk := jose.JSONWebKey{Key: key, KeyID: id}
		if change != nil {
			change(&jwk)
		}
		login.keys = append(login.keys, jwk)
	}
	published(p256.Public(), "curve", nil)
	published(rsaKey.Public(), "for-encryption", func(k *jose.JSONWebKey) { k.Use = "enc" })
	published(rsaKey.Public(), "for-PS256", func(k *jose.JSONWebKey) { k.Algorithm = "PS256" })
	published(weakRSA.Public(), "weak", nil)
	published(rsaKey, "private", nil)
	published([]byte("0123456789abcdef0123456789abcdef"), "secret", nil)
	published(rsaKey.Public(), "", nil)
	wrapping := map[string]any{}
	raw, _ := json.Marshal(jose.JSONWebKey{Key: rsaKey.Public(), KeyID: "for-wrapping"})
	_ = json.Unmarshal(raw, &wrapping)
	wrapping["key_ops"] = []string{"wrapKey"}
	login.keys = append(login.keys, wrapping, map[string]any{"kty": "unheard-of", "kid": "strange"}, "no key at all")

	der, err := x509.MarshalPKIXPublicKey(rsaKey.Public())
	if err != nil {
		t.Fatal(err)
	}
	asPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	asJWK, _ := json.Marshal(jose.JSONWebKey{Key: rsaKey.Public(), KeyID: "one"})
	rs256 := func(key any, header map[string]any) string { return sign(t, key, jose.RS256, header, claims(nil)) }
	good := access(t, nil)
	parts := strings.Split(good, ".")
	other := strings.Split(access(t, map[string]any{"sub": "admin"}), ".")
	for name, token := range map[string]string{
		"none":                       forge(`{"alg":"none","kid":"one"}`, nothing),
		"none in capitals":           forge(`{"alg":"NONE","kid":"one"}`, nothing),
		"no algorithm":               forge(`{"kid":"one"}`, nothing),
		"HS256 with the PEM":         forge(`{"alg":"HS256","kid":"one"}`, hs256(asPEM)),
		"HS256 with the DER":         forge(`{"alg":"HS256","kid":"one"}`, hs256(der)),
		"HS256 with the JWK":         forge(`{"alg":"HS256","kid":"one"}`, hs256(asJWK)),
		"HS256 with a published key": forge(`{"alg":"HS256","kid":"secret"}`, hs256([]byte("0123456789abcdef0123456789abcdef"))),
		"algorithm twice":            forge(`{"alg":"RS256","alg":"none","kid":"one"}`, nothing),
		"no signature":               parts[0] + "." + parts[1] + ".",
		"other claims":               parts[0] + "." + other[1] + "." + parts[2],
		"changed header":             other[0][:len(other[0])-2] + "." + parts[1] + "." + parts[2],
		"by another key":             rs256(otherRSA, map[string]any{"kid": "one"}),
		"unknown key":                rs256(otherRSA, map[string]any{"kid": "two"}),
		"no key named":               rs256(rsaKey, nil),
		"empty key id":               rs256(rsaKey, map[string]any{"kid": ""}),
		"key of another kind":        rs256(rsaKey, map[string]any{"kid": "curve"}),
		"curve with an RSA id":       sign(t, p256, jose.ES256, map[string]any{"kid": "one"}, claims(nil)),
		"key for encryption":         rs256(rsaKey, map[string]any{"kid": "for-encryption"}),
		"key for wrapping":           rs256(rsaKey, map[string]any{"kid": "for-wrapping"}),
		"key for PS256":              rs256(rsaKey, map[string]any{"kid": "for-PS256"}),
		"weak key":                   rs256(weakRSA, map[string]any{"kid": "weak"}),
		"private key published":      rs256(rsaKey, map[string]any{"kid": "private"}),
		"strange key":                rs256(rsaKey, map[string]any{"kid": "strange"}),
		"brings its key":             rs256(otherRSA, map[string]any{"kid": "one", "jwk": jose.JSONWebKey{Key: otherRSA.Public(), KeyID: "one"}}),
		"points to its key":          rs256(otherRSA, map[string]any{"kid": "one", "jku": "https://evil.example/jwks", "x5u": "https://evil.example/x"}),
		"crit":                       forge(`{"alg":"RS256","kid":"one","crit":["exp"],"exp":1}`, byIssuer),
		"crit that go-jose knows":    forge(`{"alg":"RS256","kid":"one","crit":["b64"],"b64":true}`, byIssuer),
		"crit of nothing":            forge(`{"alg":"RS256","kid":"one","crit":[]}`, byIssuer),
		"b64":                        rs256(rsaKey, map[string]any{"kid": "one", "b64": false}),
		"an id token by its type":    rs256(rsaKey, map[string]any{"kid": "one", "typ": "id+jwt"}),
		"a logout token":             rs256(rsaKey, map[string]any{"kid": "one", "typ": "logout+jwt"}),
		"a number for a type":        rs256(rsaKey, map[string]any{"kid": "one", "typ": 7}),
		"five parts":                 good + ".x.y",
		"two parts":                  parts[0] + "." + parts[1],
		"points alone":               "..",
		"no base64":                  "a.b.c",
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: (&clock{noon}).now})
			g.bearer(t, token).expect(t, 401, "invalid_token")
		})
	}
	g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: (&clock{noon}).now})
	g.bearer(t, good).expect(t, 200, "") // the other keys do no harm
	g.bearer(t, forge(`{"alg":"RS256","kid":"one"}`, byIssuer)).expect(t, 200, "")
	if login.asked["https://evil.example/jwks"]+login.asked["https://evil.example/x"] > 0 {
		t.Error("a key was fetched from the address in the token")
	}
}

func TestScopesLimitRights(t *testing.T) {
	for _, c := range []struct {
		name     string
		changes  map[string]any
		status   int
		readOnly bool
	}{
		{"to write", map[string]any{"scope": "notes:write"}, 200, false},
		{"both", map[string]any{"scope": "openid notes:read  notes:write"}, 200, false},
		{"to read", map[string]any{"scope": "notes:read profile"}, 200, true},
		{"neither", map[string]any{"scope": "openid"}, 403, false},
		{"none", nil, 403, false},
		{"a part of a word", map[string]any{"scope": "notes:writer xnotes:read"}, 403, false},
		{"in capitals", map[string]any{"scope": "NOTES:READ"}, 403, false},
		{"scp, a list", map[string]any{"scp": []string{"notes:read", "notes:write"}}, 200, false},
		{"scp, a text", map[string]any{"scp": "notes:read"}, 200, true},
		{"not for the user", map[string]any{"scope": "notes:write", "sub": "reader"}, 200, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			login := newFakeIssuer()
			oauth := login.oauth()
			oauth.RequireScopes = true
			oauth.Users = append(oauth.Users, auth.User{Subject: "reader", Grant: auth.Grant{ReadOnly: true}})
			g := newGuarded(t, auth.Options{OAuth: oauth, Now: (&clock{noon}).now})
			got := g.bearer(t, access(t, c.changes))
			if c.status == 403 {
				got.expect(t, 403, "insufficient_scope")
				for _, part := range []string{`error="insufficient_scope"`, `scope="notes:read"`, `resource_metadata="https://notes.example/.well-known/oauth-protected-resource/mcp"`} {
					if !strings.Contains(got.challenge, part) {
						t.Errorf("no %s in %s", part, got.challenge)
					}
				}
				return
			}
			got.expect(t, 200, "")
			if got.who.Grant.ReadOnly != c.readOnly {
				t.Errorf("read-only is %t", got.who.Grant.ReadOnly)
			}
			if again := g.bearer(t, access(t, map[string]any{"scope": "notes:write"})); again.who.Grant.ReadOnly {
				t.Error("the next caller is read-only too")
			}
		})
	}
}

func TestUsersAreFound(t *testing.T) {
	narrow, err := scope.New([]string{"a/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	bySubject := auth.User{Subject: "user-7", Grant: auth.Grant{Toolsets: []string{"by subject"}}}
	byEmail := auth.User{Email: "Ada@example.com", Grant: auth.Grant{Scope: narrow}}
	everyone := auth.User{Subject: "*", Grant: auth.Grant{ReadOnly: true}}
	ada := map[string]any{"email": "ada@example.com", "email_verified": true}
	with := func(changes map[string]any, key string, value any) map[string]any {
		all := map[string]any{key: value}
		for k, v := range changes {
			if k != key {
				all[k] = v
			}
		}
		return all
	}
	for _, c := range []struct {
		name    string
		users   []auth.User
		changes map[string]any
		want    *auth.User // nil: not listed
	}{
		{"by subject", []auth.User{everyone, byEmail, bySubject}, ada, &bySubject},
		{"by email", []auth.User{everyone, byEmail}, ada, &byEmail},
		{"email not verified", []auth.User{byEmail}, with(ada, "email_verified", false), nil},
		{"nothing about the email", []auth.User{byEmail}, with(ada, "email_verified", nil), nil},
		{"no email", []auth.User{byEmail}, with(ada, "email", nil), nil},
		{"other email", []auth.User{byEmail}, with(ada, "email", "eve@example.com"), nil},
		{"email with other letters", []auth.User{{Email: "kim@example.com"}}, with(ada, "email", "\u212Aim@example.com"), nil},
		{"subject that is an email", []auth.User{byEmail}, map[string]any{"sub": "Ada@example.com"}, nil},
		{"everyone, whatever their email", []auth.User{everyone}, with(ada, "email_verified", false), &everyone},
		{"everyone", []auth.User{bySubject, everyone}, map[string]any{"sub": "someone"}, &everyone},
		{"a star for a subject", []auth.User{bySubject}, map[string]any{"sub": "*"}, nil},
		{"not listed", []auth.User{bySubject}, map[string]any{"sub": "user-8"}, nil},
		{"listed in capitals", []auth.User{bySubject}, map[string]any{"sub": "USER-7"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			login := newFakeIssuer()
			oauth := login.oauth()
			oauth.Users = c.users
			g := newGuarded(t, auth.Options{OAuth: oauth, Now: (&clock{noon}).now, FailedLogins: 1})
			if c.want == nil {
				for range 3 { // these do not count as failed logins
					got := g.bearer(t, access(t, c.changes))
					got.expect(t, 403, "access_denied")
					if got.challenge != "" {
						t.Errorf("another login would not help: %s", got.challenge)
					}
				}
				return
			}
			got := g.bearer(t, access(t, c.changes))
			got.expect(t, 200, "")
			if got.who.Grant.Key() != c.want.Grant.Key() {
				t.Errorf("the grant is %s, want %s", got.who.Grant.Key(), c.want.Grant.Key())
			}
			if named := got.who.Name == "ada@example.com"; named != (c.changes["email_verified"] == true) {
				t.Errorf("the name is %s", got.who.Name)
			}
		})
	}
}

func TestRefusalsAreLoggedWithoutTheToken(t *testing.T) {
	login := newFakeIssuer()
	g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: (&clock{noon}).now})
	g.bearer(t, access(t, map[string]any{"sub": "eve\nlevel=ERROR\u009b" + strings.Repeat("x", 200), "exp": 1}))
	var line struct{ Msg, Reason, Address, Principal string }
	if err := json.Unmarshal(g.log.Bytes(), &line); err != nil {
		t.Fatalf("the log is not one line: %v: %s", err, g.log.String())
	}
	want := struct{ Msg, Reason, Address, Principal string }{"a login was refused", "the token has expired", "192.0.2.1", "eve\ufffdlevel=ERROR\ufffd" + strings.Repeat("x", 84) + "…"}
	if line != want {
		t.Errorf("got %+v, want %+v", line, want)
	}
	g.log.Reset()
	g.ask(t, "")
	if g.log.Len() > 0 {
		t.Errorf("a request without a token is logged: %s", g.log.String())
	}
	if strings.Contains(fmt.Sprint(g.guard), "canary") {
		t.Error("the guard keeps tokens")
	}
}

// An endpoint that clients take for a resource of its own has its own metadata and challenge, and tokens issued for it are
// accepted.
func TestOtherEndpoints(t *testing.T) {
	login := newFakeIssuer()
	options := login.oauth()
	other := strings.TrimSuffix(options.Resource, "/mcp") + "/sse"
	options.Others = []auth.Endpoint{{Paths: []string{"/sse", "/messages"}, Resource: other}}
	g := newGuarded(t, auth.Options{OAuth: options, Now: (&clock{noon}).now})
	if got := g.bearer(t, access(t, map[string]any{"aud": other})); got.status != http.StatusOK {
		t.Errorf("a token for it: %d %s", got.status, got.body)
	}
	if got := g.bearer(t, access(t, map[string]any{"aud": other + "/x"})); got.status != http.StatusUnauthorized {
		t.Errorf("a token for something else: %d", got.status)
	}
	for path, want := range map[string]string{"/sse": "/sse", "/messages": "/sse", "/mcp": "/mcp"} {
		answer := httptest.NewRecorder()
		g.handler.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
		if challenge := answer.Header().Get("WWW-Authenticate"); !strings.Contains(challenge, "/.well-known/oauth-protected-resource"+want+`"`) {
			t.Errorf("%s: %s", path, challenge)
		}
	}
	if !slices.Contains(g.guard.MetadataPaths(), "/.well-known/oauth-protected-resource/sse") {
		t.Errorf("%v", g.guard.MetadataPaths())
	}
	for path, want := range map[string]string{"/sse": other, "/mcp": options.Resource, "": options.Resource} {
		answer := httptest.NewRecorder()
		g.guard.Metadata().ServeHTTP(answer, httptest.NewRequest("GET", "/.well-known/oauth-protected-resource"+path, nil))
		if !strings.Contains(answer.Body.String(), `"resource":"`+want+`"`) {
			t.Errorf("%s: %s", path, answer.Body)
		}
	}
}

package auth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
)

func TestNewTokensDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token, hash := auth.NewToken()
		if !regexp.MustCompile(`^omcp_[A-Z2-7]{26}$`).MatchString(token) || seen[token] {
			t.Fatalf("token %q is malformed or repeated", token)
		}
		seen[token] = true
		parsed, err := auth.ParseHash(hash)
		if err != nil {
			t.Fatal(err)
		}
		if hashed, err := auth.HashToken(token); err != nil || hashed != parsed {
			t.Fatalf("the hash %s is not the hash of the token: %v", hash, err)
		}
	}
}

func TestParseHash(t *testing.T) {
	_, good := auth.NewToken()
	for _, hash := range []string{good, strings.ToUpper(good)} {
		if _, err := auth.ParseHash(hash); err != nil {
			t.Errorf("%s: %v", hash, err)
		}
	}
	for _, hash := range []string{"", "9f86d0", good + "00", good[:62], "omcp_ABCDEFGHIJKLMNOPQRSTUVWXYZ", good[:63] + "g", " " + good[1:]} {
		_, err := auth.ParseHash(hash)
		if !errors.Is(err, fault.InvalidArgument) || hash != "" && strings.Contains(err.Error(), hash) {
			t.Errorf("%q: %v", hash, err)
		}
	}
}

func TestUnsendableTokensAreRefused(t *testing.T) {
	for _, weak := range []string{"", "sixteen letters!", "sixteen-letters\n", "================", strings.Repeat("a", 20000)} {
		if _, err := auth.HashToken(weak); !errors.Is(err, fault.InvalidArgument) || weak != "" && strings.Contains(err.Error(), weak) {
			t.Errorf("%.20q: %v", weak, err)
		}
	}
	for _, fine := range []string{"secret", "sixteen-letters-", "AZaz09-._~+/AZaz09=="} {
		if _, err := auth.HashToken(fine); err != nil {
			t.Errorf("%q: %v", fine, err)
		}
	}
	made, _ := auth.NewToken()
	for token, weak := range map[string]bool{"secret": true, "fifteen-letters": true, "sixteen-letters-": false, made: false} {
		if auth.IsWeak(token) != weak {
			t.Errorf("%q counts as weak: %v", token, !weak)
		}
	}
}

func TestDigestsAreNeverPrinted(t *testing.T) {
	_, known := token(t, "phone", auth.Grant{})
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "digest", known.SHA256, "token", known)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "digest", known.SHA256, "token", known)
	raw := fmt.Sprintf("%x", known.SHA256[:])
	number := fmt.Sprint(known.SHA256[:3])
	for _, shown := range []string{log.String(), fmt.Sprint(known.SHA256), fmt.Sprintf("%v %+v %#v", known, known, known)} {
		if strings.Contains(shown, raw) || strings.Contains(strings.ReplaceAll(shown, ",", " "), strings.Trim(number, "[]")) || !strings.Contains(shown, "[redacted]") {
			t.Errorf("the digest is printed: %s", shown)
		}
	}
}

func TestBearerTokens(t *testing.T) {
	limited, err := scope.New([]string{"projects/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	phone, phoneToken := token(t, "phone", auth.Grant{ReadOnly: true, Scope: limited, Toolsets: []string{"notes"}})
	laptop, laptopToken := token(t, "laptop", auth.Grant{})
	old, oldToken := token(t, "old", auth.Grant{})
	oldToken.Expires = noon
	young, youngToken := token(t, "young", auth.Grant{})
	youngToken.Expires = noon.Add(time.Second)
	stranger, _ := auth.NewToken()
	g := newGuarded(t, auth.Options{Tokens: []auth.Token{phoneToken, laptopToken, oldToken, youngToken}, Now: (&clock{noon}).now})
	for _, c := range []struct {
		name, header string
		status       int
		who, code    string
		about        string
	}{
		{name: "the first", header: "Bearer " + phone, status: 200, who: "phone"},
		{name: "another", header: "Bearer " + laptop, status: 200, who: "laptop"},
		{name: "scheme in small letters", header: "bearer " + laptop, status: 200, who: "laptop"},
		{name: "scheme in capitals", header: "BEARER " + laptop, status: 200, who: "laptop"},
		{name: "more space", header: "Bearer   " + laptop + " ", status: 200, who: "laptop"},
		{name: "not yet expired", header: "Bearer " + young, status: 200, who: "young"},
		{name: "expired", header: "Bearer " + old, status: 401, code: "invalid_token", about: "the token has expired"},
		{name: "none", header: "", status: 401, code: "invalid_token"},
		{name: "unknown", header: "Bearer " + stranger, status: 401, code: "invalid_token"},
		{name: "a part", header: "Bearer " + laptop[:len(laptop)-1], status: 401, code: "invalid_token"},
		{name: "and more", header: "Bearer " + laptop + "A", status: 401, code: "invalid_token"},
		{name: "in small letters", header: "Bearer " + strings.ToLower(laptop), status: 401, code: "invalid_token"},
		{name: "a JWT without OAuth", header: "Bearer aaaaaaaaaa.bbbbbbbbbb.cccccccccc", status: 401, code: "invalid_token"},
		{name: "other scheme", header: "Basic " + laptop, status: 401, code: "invalid_request"},
		{name: "no scheme", header: laptop, status: 401, code: "invalid_request"},
		{name: "scheme with a long s", header: "Bearerſ " + laptop, status: 401, code: "invalid_request"},
		{name: "no token", header: "Bearer", status: 400, code: "invalid_request"},
		{name: "space for a token", header: "Bearer  ", status: 400, code: "invalid_request"},
		{name: "two tokens", header: "Bearer " + laptop + " " + phone, status: 400, code: "invalid_request"},
		{name: "two in a list", header: "Bearer " + laptop + ", Bearer " + phone, status: 400, code: "invalid_request"},
		{name: "tab", header: "Bearer\t" + laptop, status: 401, code: "invalid_request"},
		{name: "quotes", header: `Bearer "` + laptop + `"`, status: 400, code: "invalid_request"},
		{name: "other letters", header: "Bearer ключключключ", status: 400, code: "invalid_request"},
		{name: "too long", header: "Bearer " + strings.Repeat("a", 17<<10), status: 400, code: "invalid_request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := g.ask(t, c.header)
			got.expect(t, c.status, c.code)
			if c.about != "" && got.About != c.about {
				t.Errorf("says %q", got.About)
			}
			if c.who != "" && (got.who.Anonymous() || got.who.Name != c.who || got.who.ID != "token "+c.who) {
				t.Errorf("admitted as %+v", got.who)
			}
			if refused := c.status != 200; refused != strings.HasPrefix(got.challenge, "Bearer ") || strings.Contains(got.challenge, "resource_metadata") {
				t.Errorf("challenge %q", got.challenge)
			}
		})
	}
	if got := g.bearer(t, phone); got.who.Grant.Key() != phoneToken.Grant.Key() {
		t.Errorf("the grant is %+v", got.who.Grant)
	}
}

func TestTokensOutsideOneHeaderAreRefused(t *testing.T) {
	right, known := token(t, "phone", auth.Grant{})
	g := newGuarded(t, auth.Options{Tokens: []auth.Token{known}})
	for _, c := range []struct {
		name, target string
		headers      []string
		status       int
	}{
		{"in the query", "/mcp?access_token=" + right, nil, 401},
		{"in the query, escaped", "/mcp?acc%65ss_token=" + right, nil, 401},
		{"in the query too", "/mcp?x=1&access_token=" + right, []string{"Bearer " + right}, 401},
		{"another word of the query", "/mcp?token=1", []string{"Bearer " + right}, 200},
		{"several headers", "/mcp", []string{"Bearer " + right, "Bearer " + right}, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			request := httptest.NewRequest(http.MethodGet, c.target, nil)
			request.Header["Authorization"] = c.headers
			code := "invalid_request"
			if c.status == 200 {
				code = ""
			}
			g.send(t, request).expect(t, c.status, code)
		})
	}
}

func TestEverybodyIsAnonymousWithoutLogin(t *testing.T) {
	g := newGuarded(t, auth.Options{FailedLogins: 5})
	if !g.guard.Open() {
		t.Error("the guard is not open")
	}
	for _, header := range []string{"", "Bearer x", "Basic x"} {
		got := g.ask(t, header)
		if got.status != 200 || got.who.ID != "anonymous" || !got.who.Anonymous() || !got.who.Grant.Unlimited() {
			t.Errorf("%q: %d, %+v", header, got.status, got.who)
		}
		got.who.Grant.ReadOnly = true // must not affect the next caller
	}
}

func TestContextWithoutPrincipal(t *testing.T) {
	if got := auth.Of(context.Background()); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestEqualGrantsHaveEqualKeys(t *testing.T) {
	narrow, err := scope.New([]string{"a/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	grants := []auth.Grant{{}, {ReadOnly: true}, {Scope: narrow}, {Toolsets: []string{}}, {Toolsets: []string{"notes"}}, {Toolsets: []string{"notes", "find"}}, {Toolsets: []string{"notes find"}}, {Toolsets: []string{`notes" "find`}}}
	keys := map[string]int{}
	for i, grant := range grants {
		if other, twice := keys[grant.Key()]; twice {
			t.Errorf("%+v and %+v have the key %s", grant, grants[other], grant.Key())
		}
		keys[grant.Key()] = i
		if grant.Unlimited() != (i == 0) {
			t.Errorf("%+v: unlimited %t", grant, grant.Unlimited())
		}
	}
	same, err := scope.New([]string{"a/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if (auth.Grant{Scope: same}).Key() != (auth.Grant{Scope: narrow}).Key() {
		t.Error("equal grants have different keys")
	}
}

func TestIndistinguishableTokensAreRefused(t *testing.T) {
	_, first := token(t, "one", auth.Grant{})
	_, second := token(t, "two", auth.Grant{})
	named := func(t auth.Token, name string) auth.Token { t.Name = name; return t }
	for _, tokens := range [][]auth.Token{
		{named(first, "")}, {named(first, " ")}, {first, named(second, "one")}, {first, named(first, "two")}, {{Name: "one"}},
	} {
		if _, err := auth.New(auth.Options{Tokens: tokens}); !errors.Is(err, fault.InvalidArgument) {
			t.Errorf("%v: %v", tokens, err)
		}
	}
}

// FuzzAuthorization checks that only the correct token in the correct form is admitted.
func FuzzAuthorization(f *testing.F) {
	const right = "omcp_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digest, err := auth.HashToken(right)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"Bearer " + right, "bEARER  " + right + " ", "Basic " + right, right, "Bearer", "Bearer " + right + ",", "Bearer a.b.c", "Bearer eyJhbGciOiJub25lIn0.e30.", "\x00"} {
		f.Add(seed)
	}
	allowed := regexp.MustCompile(`^[Bb][Ee][Aa][Rr][Ee][Rr] +` + right + ` *$`)
	f.Fuzz(func(t *testing.T, header string) {
		login := newFakeIssuer()
		g := newGuarded(t, auth.Options{Tokens: []auth.Token{{Name: "phone", SHA256: digest}}, OAuth: login.oauth()})
		request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		request.Header["Authorization"] = []string{header}
		recorder := httptest.NewRecorder()
		g.handler.ServeHTTP(recorder, request)
		if admitted := recorder.Code == 200; admitted != allowed.MatchString(header) || admitted != (g.caller != nil) {
			t.Errorf("%q: %d", header, recorder.Code)
		}
		if recorder.Code != 200 && recorder.Code != 400 && recorder.Code != 401 {
			t.Errorf("%q: %d %s", header, recorder.Code, recorder.Body)
		}
	})
}

package auth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"obsidian-mcp/internal/access/auth"
)

// from sends a request from an address.
func (g *guarded) from(t *testing.T, address, authorization string) answer {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	request.RemoteAddr = address
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	return g.send(t, request)
}

const wrong = "Bearer omcp_WRONGWRONGWRONGWRONGWRONGW"

func TestFailedLoginsMakeAddressWait(t *testing.T) {
	secret, known := token(t, "phone", auth.Grant{})
	now := &clock{noon}
	g := newGuarded(t, auth.Options{Tokens: []auth.Token{known}, FailedLogins: 5, Now: now.now})
	for range 20 {
		g.from(t, "192.0.2.1:1000", "").expect(t, 401, "invalid_token") // how clients ask where to log in
	}
	for i := range 5 {
		g.from(t, fmt.Sprint("192.0.2.1:", 1000+i), wrong).expect(t, 401, "invalid_token")
	}
	g.log.Reset()
	got := g.from(t, "192.0.2.1:2000", wrong)
	got.expect(t, 429, "too_many_requests")
	if got.header.Get("Retry-After") != "12" || got.challenge != "" {
		t.Errorf("Retry-After %q, challenge %q", got.header.Get("Retry-After"), got.challenge)
	}
	g.from(t, "192.0.2.1:2001", "Bearer "+secret).expect(t, 429, "too_many_requests") // not used from there before
	g.from(t, "192.0.2.1:2002", "").expect(t, 401, "invalid_token")
	if g.log.Len() > 0 {
		t.Errorf("an address that waits fills the log: %s", g.log.String())
	}
	g.from(t, "192.0.2.2:1000", "Bearer "+secret).expect(t, 200, "") // others are not affected
	now.advance(11 * time.Second)
	g.from(t, "192.0.2.1:1000", wrong).expect(t, 429, "too_many_requests")
	now.advance(time.Second)
	g.from(t, "192.0.2.1:1000", "Bearer "+secret).expect(t, 200, "")
	g.from(t, "192.0.2.1:1000", wrong).expect(t, 401, "invalid_token")
	g.from(t, "192.0.2.1:1000", wrong).expect(t, 429, "too_many_requests") // a success does not restore the budget
	g.from(t, "192.0.2.1:1000", "Bearer "+secret).expect(t, 200, "")       // but its token is spared from now on
}

func TestWhatCountsAsAFailedLogin(t *testing.T) {
	_, old := token(t, "old", auth.Grant{})
	oldSecret, hash := auth.NewToken()
	old.SHA256, _ = auth.ParseHash(hash)
	old.Expires = noon
	for _, c := range []struct {
		name, header string
		counts       bool
	}{
		{"unknown", wrong, true},
		{"malformed", "Bearer ???", true},
		{"other scheme", "Basic dXNlcjpwYXNz", true},
		{"expired", "Bearer " + oldSecret, false},
		{"expired access token", "Bearer " + access(t, map[string]any{"exp": 1}), false},
		{"access token for another", "Bearer " + access(t, map[string]any{"aud": "https://other.example"}), true},
		{"none", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGuarded(t, auth.Options{Tokens: []auth.Token{old}, OAuth: newFakeIssuer().oauth(), FailedLogins: 2, Now: (&clock{noon}).now})
			for range 2 {
				g.ask(t, c.header)
			}
			if got := g.ask(t, c.header); (got.status == 429) != c.counts {
				t.Errorf("status %d", got.status)
			}
		})
	}
}

func TestAddressesOfOneNetworkCountTogether(t *testing.T) {
	for _, c := range []struct {
		first, second string
		same          bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true},
		{"192.0.2.1:1", "192.0.2.2:1", false},
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8::ffff:1]:1", true},
		{"[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", false},
		{"[fe80::1%eth0]:1", "[fe80::1%eth1]:1", true},
		{"@", "@", true},
	} {
		_, known := token(t, "phone", auth.Grant{})
		g := newGuarded(t, auth.Options{Tokens: []auth.Token{known}, FailedLogins: 1, Now: (&clock{noon}).now})
		g.from(t, c.first, wrong)
		if got := g.from(t, c.second, wrong); (got.status == 429) != c.same {
			t.Errorf("%s, %s: %d", c.first, c.second, got.status)
		}
	}
}

func TestLeastRecentAddressIsForgotten(t *testing.T) {
	_, known := token(t, "phone", auth.Grant{})
	g := newGuarded(t, auth.Options{
		Tokens: []auth.Token{known}, FailedLogins: 1, Now: (&clock{noon}).now,
		Address: func(r *http.Request) string { return r.Header.Get("X-From") },
	})
	from := func(address string) int {
		request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		request.Header.Set("Authorization", wrong)
		request.Header.Set("X-From", address)
		recorder := httptest.NewRecorder()
		g.handler.ServeHTTP(recorder, request)
		return recorder.Code
	}
	from("first")
	from("second")
	for i := range 4094 {
		from(fmt.Sprint(i))
	}
	if from("first") != 429 { // and is now the most recent
		t.Error("forgotten too early")
	}
	from("another")
	if from("first") != 429 {
		t.Error("the wrong address is forgotten")
	}
	if from("second") != 401 {
		t.Error("the oldest address is remembered")
	}
}

func TestOnlyLastTokensOfAddressAreSpared(t *testing.T) {
	var secrets []string
	var tokens []auth.Token
	for i := range 9 {
		secret, known := token(t, fmt.Sprint("client ", i), auth.Grant{})
		secrets, tokens = append(secrets, secret), append(tokens, known)
	}
	g := newGuarded(t, auth.Options{Tokens: tokens, FailedLogins: 1, Now: (&clock{noon}).now})
	for _, secret := range append(secrets, secrets[8]) {
		g.bearer(t, secret).expect(t, 200, "")
	}
	g.ask(t, wrong).expect(t, 401, "invalid_token")
	g.bearer(t, secrets[0]).expect(t, 429, "too_many_requests")
	for _, secret := range secrets[1:] {
		g.bearer(t, secret).expect(t, 200, "")
	}
}

// Concurrent logins may exceed the budget; then the address waits longer.
func TestConcurrentFailuresAreAllCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		login := newFakeIssuer()
		login.replies[issuerURL+"/jwks"] = func(*http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return document(map[string]any{"keys": login.keys}), nil
		}
		g := newGuarded(t, auth.Options{OAuth: login.oauth(), FailedLogins: 5})
		forged := sign(t, p256, jose.ES256, map[string]any{"kid": "unknown"}, claims(nil))
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				recorder := httptest.NewRecorder()
				if g.handler.ServeHTTP(recorder, bearerRequest(forged)); recorder.Code != 401 {
					t.Errorf("status %d", recorder.Code)
				}
			})
		}
		all.Wait()
		got := g.bearer(t, forged)
		got.expect(t, 429, "too_many_requests")
		if got.header.Get("Retry-After") != "72" {
			t.Errorf("Retry-After %s, want six times twelve seconds", got.header.Get("Retry-After"))
		}
	})
}

func TestFailuresWithoutLimit(t *testing.T) {
	_, known := token(t, "phone", auth.Grant{})
	g := newGuarded(t, auth.Options{Tokens: []auth.Token{known}})
	for range 50 {
		g.ask(t, wrong).expect(t, 401, "invalid_token")
	}
}

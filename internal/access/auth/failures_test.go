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
func (d *door) from(t *testing.T, address, authorization string) answer {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	request.RemoteAddr = address
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	return d.send(t, request)
}

const wrong = "Bearer omcp_WRONGWRONGWRONGWRONGWRONGW"

func TestFailedLogins(t *testing.T) {
	secret, known := token(t, "phone", auth.Grant{})
	now := &clock{noon}
	d := newDoor(t, auth.Options{Tokens: []auth.Token{known}, FailedLogins: 5, Now: now.now})
	for range 20 {
		d.from(t, "192.0.2.1:1000", "").expect(t, 401, "invalid_token") // asks where to log in
	}
	for i := range 5 {
		d.from(t, fmt.Sprint("192.0.2.1:", 1000+i), wrong).expect(t, 401, "invalid_token")
	}
	d.log.Reset()
	got := d.from(t, "192.0.2.1:2000", wrong)
	got.expect(t, 429, "too_many_requests")
	if got.header.Get("Retry-After") != "12" || got.challenge != "" {
		t.Errorf("Retry-After %q, challenge %q", got.header.Get("Retry-After"), got.challenge)
	}
	d.from(t, "192.0.2.1:2001", "Bearer "+secret).expect(t, 429, "too_many_requests") // it was never right from there
	d.from(t, "192.0.2.1:2002", "").expect(t, 401, "invalid_token")
	if d.log.Len() > 0 {
		t.Errorf("who waits fills the log: %s", d.log.String())
	}
	d.from(t, "192.0.2.2:1000", "Bearer "+secret).expect(t, 200, "") // others are not concerned
	now.advance(11 * time.Second)
	d.from(t, "192.0.2.1:1000", wrong).expect(t, 429, "too_many_requests")
	now.advance(time.Second)
	d.from(t, "192.0.2.1:1000", "Bearer "+secret).expect(t, 200, "")
	d.from(t, "192.0.2.1:1000", wrong).expect(t, 401, "invalid_token")
	d.from(t, "192.0.2.1:1000", wrong).expect(t, 429, "too_many_requests") // a success gives nothing back
	d.from(t, "192.0.2.1:1000", "Bearer "+secret).expect(t, 200, "")       // and now is spared
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
			d := newDoor(t, auth.Options{Tokens: []auth.Token{old}, OAuth: newFakeIssuer().oauth(), FailedLogins: 2, Now: (&clock{noon}).now})
			for range 2 {
				d.ask(t, c.header)
			}
			if got := d.ask(t, c.header); (got.status == 429) != c.counts {
				t.Errorf("status %d", got.status)
			}
		})
	}
}

func TestAddressesThatAreOne(t *testing.T) {
	for _, c := range []struct {
		one, other string
		same       bool
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
		d := newDoor(t, auth.Options{Tokens: []auth.Token{known}, FailedLogins: 1, Now: (&clock{noon}).now})
		d.from(t, c.one, wrong)
		if got := d.from(t, c.other, wrong); (got.status == 429) != c.same {
			t.Errorf("%s, %s: %d", c.one, c.other, got.status)
		}
	}
}

func TestAddressesAreForgotten(t *testing.T) {
	_, known := token(t, "phone", auth.Grant{})
	d := newDoor(t, auth.Options{
		Tokens: []auth.Token{known}, FailedLogins: 1, Now: (&clock{noon}).now,
		Address: func(r *http.Request) string { return r.Header.Get("X-From") },
	})
	from := func(address string) int {
		request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		request.Header.Set("Authorization", wrong)
		request.Header.Set("X-From", address)
		recorder := httptest.NewRecorder()
		d.handler.ServeHTTP(recorder, request)
		return recorder.Code
	}
	from("first")
	from("second")
	for i := range 4094 {
		from(fmt.Sprint(i))
	}
	if from("first") != 429 { // and is now the last heard of
		t.Error("forgotten too early")
	}
	from("one more")
	if from("first") != 429 {
		t.Error("the wrong one is forgotten")
	}
	if from("second") != 401 {
		t.Error("the oldest is remembered")
	}
}

func TestOnlyTheLastTokensOfAnAddressAreSpared(t *testing.T) {
	var secrets []string
	var tokens []auth.Token
	for i := range 9 {
		secret, known := token(t, fmt.Sprint("client ", i), auth.Grant{})
		secrets, tokens = append(secrets, secret), append(tokens, known)
	}
	d := newDoor(t, auth.Options{Tokens: tokens, FailedLogins: 1, Now: (&clock{noon}).now})
	for _, secret := range append(secrets, secrets[8]) {
		d.bearer(t, secret).expect(t, 200, "")
	}
	d.ask(t, wrong).expect(t, 401, "invalid_token")
	d.bearer(t, secrets[0]).expect(t, 429, "too_many_requests")
	for _, secret := range secrets[1:] {
		d.bearer(t, secret).expect(t, 200, "")
	}
}

// Those that are judged at the same time may be more than the budget: then
// the address waits as much longer.
func TestFailuresAtOnceAreAllCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		login := newFakeIssuer()
		login.replies[issuerURL+"/jwks"] = func(*http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return document(map[string]any{"keys": login.keys}), nil
		}
		d := newDoor(t, auth.Options{OAuth: login.oauth(), FailedLogins: 5})
		forged := sign(t, p256, jose.ES256, map[string]any{"kid": "unknown"}, claims(nil))
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				recorder := httptest.NewRecorder()
				if d.handler.ServeHTTP(recorder, bearerRequest(forged)); recorder.Code != 401 {
					t.Errorf("status %d", recorder.Code)
				}
			})
		}
		all.Wait()
		got := d.bearer(t, forged)
		got.expect(t, 429, "too_many_requests")
		if got.header.Get("Retry-After") != "72" {
			t.Errorf("Retry-After %s, want six times twelve seconds", got.header.Get("Retry-After"))
		}
	})
}

func TestNoLimitOfFailures(t *testing.T) {
	_, known := token(t, "phone", auth.Grant{})
	d := newDoor(t, auth.Options{Tokens: []auth.Token{known}})
	for range 50 {
		d.ask(t, wrong).expect(t, 401, "invalid_token")
	}
}

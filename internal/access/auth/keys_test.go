package auth_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"obsidian-mcp/internal/access/auth"
)

func TestNewKeysArePickedUp(t *testing.T) {
	login, now := newFakeIssuer(), &clock{noon}
	g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: now.now})
	first := access(t, nil)
	g.bearer(t, first).expect(t, 200, "")
	login.publish("two", p256.Public())
	second := sign(t, p256, jose.ES256, map[string]any{"kid": "two"}, claims(nil))
	g.bearer(t, second).expect(t, 401, "invalid_token") // within the cool-down
	now.advance(10 * time.Second)
	g.bearer(t, second).expect(t, 200, "")
	g.bearer(t, first).expect(t, 401, "invalid_token") // its key is no longer published
	if login.fetches() != 2 {
		t.Errorf("%d fetches", login.fetches())
	}
}

func TestUnknownKeysCauseFewFetches(t *testing.T) {
	login, now := newFakeIssuer(), &clock{noon}
	g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: now.now})
	for i := range 600 {
		g.bearer(t, sign(t, p256, jose.ES256, map[string]any{"kid": fmt.Sprint("unknown-", i)}, claims(nil))).expect(t, 401, "invalid_token")
		now.advance(100 * time.Millisecond)
	}
	if fetches := login.fetches(); fetches != 6 {
		t.Errorf("%d fetches in a minute, want one every ten seconds", fetches)
	}
}

func TestKeysAreFetchedOnceForAllCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		login := newFakeIssuer()
		login.replies[issuerURL+"/jwks"] = func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(3 * time.Second):
				return document(map[string]any{"keys": login.keys}), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}
		guard, err := auth.New(auth.Options{OAuth: login.oauth()})
		if err != nil {
			t.Fatal(err)
		}
		handler := guard.Wrap(http.NotFoundHandler())
		token := access(t, map[string]any{"iat": nil, "exp": time.Now().Unix() + 600})
		ask := func(ctx context.Context) int {
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, bearerRequest(token).WithContext(ctx))
			return recorder.Code
		}
		began := time.Now()
		var all sync.WaitGroup
		all.Go(func() { // the first disconnects, and the others still get the keys
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			ask(ctx)
		})
		synctest.Wait()
		all.Go(func() { // another does not wait until the end
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if status := ask(ctx); status != http.StatusServiceUnavailable || time.Since(began) != time.Second {
				t.Errorf("%d after %s", status, time.Since(began))
			}
		})
		for range 50 {
			all.Go(func() {
				if status := ask(t.Context()); status != http.StatusNotFound {
					t.Errorf("status %d", status)
				}
			})
		}
		all.Wait()
		if login.fetches() != 1 || time.Since(began) != 3*time.Second {
			t.Errorf("%d fetches in %s", login.fetches(), time.Since(began))
		}
	})
}

func TestKeysAreRefreshedHourly(t *testing.T) {
	login, now := newFakeIssuer(), &clock{noon}
	g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: now.now})
	token := access(t, map[string]any{"exp": noon.Add(100 * time.Hour).Unix()})
	g.bearer(t, token).expect(t, 200, "")
	now.advance(59 * time.Minute)
	login.publish("two", p256.Public())
	g.bearer(t, token).expect(t, 200, "")
	now.advance(time.Minute)
	g.bearer(t, token).expect(t, 401, "invalid_token")
	if login.fetches() != 2 {
		t.Errorf("%d fetches", login.fetches())
	}
}

func TestKeysAreAcceptedForADayWithoutIssuer(t *testing.T) {
	login, now := newFakeIssuer(), &clock{noon}
	g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: now.now})
	token := access(t, map[string]any{"exp": noon.Add(100 * time.Hour).Unix()})
	g.bearer(t, token).expect(t, 200, "")
	login.down = true
	for now.Sub(noon) < 24*time.Hour {
		g.bearer(t, token).expect(t, 200, "")
		now.advance(30 * time.Second)
	}
	asked := login.asked[issuerURL+"/.well-known/oauth-authorization-server"]
	if asked < 22*60 || asked > 23*60+1 {
		t.Errorf("asked %d times in 23 hours, want once a minute", asked)
	}
	g.bearer(t, token).expect(t, 503, "temporarily_unavailable")
	login.down = false
	now.advance(10 * time.Second)
	g.bearer(t, token).expect(t, 200, "")
}

func TestRefreshDelaysOnlyOneCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		login := newFakeIssuer()
		g := newGuarded(t, auth.Options{OAuth: login.oauth()})
		token := access(t, map[string]any{"iat": nil, "exp": time.Now().Add(10 * time.Hour).Unix()})
		g.bearer(t, token).expect(t, 200, "")
		time.Sleep(2 * time.Hour)
		login.replies[issuerURL+"/.well-known/oauth-authorization-server"] = func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		handler := g.guard.Wrap(http.NotFoundHandler())
		began := time.Now()
		var first sync.WaitGroup
		first.Go(func() {
			if handler.ServeHTTP(httptest.NewRecorder(), bearerRequest(token)); time.Since(began) != 5*time.Second {
				t.Errorf("the caller that refreshes waited for %s", time.Since(began))
			}
		})
		synctest.Wait()
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, bearerRequest(token))
		if recorder.Code != http.StatusNotFound || time.Since(began) != 0 {
			t.Errorf("%d after %s", recorder.Code, time.Since(began))
		}
		first.Wait()
	})
}

func bearerRequest(token string) *http.Request {
	request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	return request
}

func TestConfiguredTokensWorkWithoutIssuer(t *testing.T) {
	login, now := newFakeIssuer(), &clock{noon}
	login.down = true
	secret, known := token(t, "phone", auth.Grant{})
	g := newGuarded(t, auth.Options{Tokens: []auth.Token{known}, OAuth: login.oauth(), Now: now.now, FailedLogins: 5})
	g.bearer(t, secret).expect(t, 200, "")
	if len(login.asked) > 0 {
		t.Error("the issuer was asked about a token from the config file")
	}
	for range 20 { // these do not count as failed logins
		got := g.bearer(t, access(t, nil))
		got.expect(t, 503, "temporarily_unavailable")
		if got.header.Get("Retry-After") != "10" {
			t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
		}
	}
	if len(login.asked) != 1 || login.asked[issuerURL+"/.well-known/oauth-authorization-server"] != 1 {
		t.Errorf("asked %v", login.asked)
	}
	login.down = false
	now.advance(10 * time.Second)
	g.bearer(t, access(t, nil)).expect(t, 200, "")
}

func TestHostileIssuersAreContained(t *testing.T) {
	const metadata = issuerURL + "/.well-known/oauth-authorization-server"
	reply := func(response func() *http.Response) func(*http.Request) (*http.Response, error) {
		return func(*http.Request) (*http.Response, error) { return response(), nil }
	}
	for _, c := range []struct {
		name  string
		spoil func(*fakeIssuer)
		says  string // in the log
	}{
		{"endless keys", func(f *fakeIssuer) {
			f.replies[issuerURL+"/jwks"] = reply(func() *http.Response { r := status(200); r.Body = endless{}; return r })
		}, "longer than 1 MB"},
		{"endless metadata", func(f *fakeIssuer) {
			f.replies[metadata] = reply(func() *http.Response { r := status(200); r.Body = endless{}; return r })
		}, "longer than 1 MB"},
		{"keys of a byte too many", func(f *fakeIssuer) {
			f.replies[issuerURL+"/jwks"] = reply(func() *http.Response { return text200(`{"keys":[]}` + strings.Repeat(" ", 1<<20-10)) })
		}, "longer than 1 MB"},
		{"broken body", func(f *fakeIssuer) {
			f.replies[issuerURL+"/jwks"] = reply(func() *http.Response {
				r := status(200)
				r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"keys":[`), brokenReader{}))
				return r
			})
		}, "unexpected EOF"},
		{"malformed JSON", func(f *fakeIssuer) {
			f.replies[issuerURL+"/jwks"] = reply(func() *http.Response { return text200("<html>") })
		}, "is not valid JSON"},
		{"keys that are not a list", func(f *fakeIssuer) {
			f.replies[issuerURL+"/jwks"] = reply(func() *http.Response { return text200(`{"keys":{}}`) })
		}, "is not valid JSON"},
		{"endlessly nested keys", func(f *fakeIssuer) {
			f.replies[issuerURL+"/jwks"] = reply(func() *http.Response { return text200(`{"keys":[` + strings.Repeat("[", 1<<19)) })
		}, "is not valid JSON"},
		{"an error", func(f *fakeIssuer) {
			f.replies[issuerURL+"/jwks"] = reply(func() *http.Response { return status(500) })
		}, "answers 500"},
		{"no metadata", func(f *fakeIssuer) {
			f.replies[metadata] = reply(func() *http.Response { return status(404) })
		}, "answers 404"},
		{"metadata of another issuer", func(f *fakeIssuer) { f.metadata["issuer"] = issuerURL + "/" }, "describes another issuer"},
		{"metadata without an issuer", func(f *fakeIssuer) { delete(f.metadata, "issuer") }, "describes another issuer"},
		{"keys without https", func(f *fakeIssuer) { f.metadata["jwks_uri"] = "http://login.example/jwks" }, "does not name an https address"},
		{"keys on our machine", func(f *fakeIssuer) { f.metadata["jwks_uri"] = "http://127.0.0.1/jwks" }, "does not name an https address"},
		{"keys in a file", func(f *fakeIssuer) { f.metadata["jwks_uri"] = "file:///etc/passwd" }, "does not name an https address"},
		{"no address of keys", func(f *fakeIssuer) { delete(f.metadata, "jwks_uri") }, "does not name an https address"},
		{"malformed address of keys", func(f *fakeIssuer) { f.metadata["jwks_uri"] = "https://[" }, "does not name an https address"},
		{"redirect to another server", func(f *fakeIssuer) {
			f.replies[issuerURL+"/jwks"] = redirect("https://evil.example/jwks")
		}, "redirects to another server"},
		{"redirect of the metadata", func(f *fakeIssuer) { f.replies[metadata] = redirect("http://169.254.169.254/") }, "redirects to another server"},
		{"redirect without TLS", func(f *fakeIssuer) {
			f.replies[issuerURL+"/jwks"] = redirect("http://login.example/jwks")
		}, "redirects to another server"},
		{"redirects without end", func(f *fakeIssuer) {
			f.replies[issuerURL+"/jwks"] = redirect(issuerURL + "/jwks")
		}, "redirects without end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			login := newFakeIssuer()
			c.spoil(login)
			g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: (&clock{noon}).now})
			g.bearer(t, access(t, nil)).expect(t, 503, "temporarily_unavailable")
			if !strings.Contains(g.log.String(), c.says) {
				t.Errorf("the log does not contain %q:\n%s", c.says, g.log.String())
			}
			for address := range login.asked {
				if !strings.HasPrefix(address, issuerURL) {
					t.Errorf("%s was asked", address)
				}
			}
			if login.fetches() > 4 {
				t.Errorf("%d requests for keys", login.fetches())
			}
		})
	}
}

// brokenReader fails in the middle.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestSlowIssuerDelaysOneCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		login := newFakeIssuer()
		login.replies[issuerURL+"/jwks"] = func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		oauth := login.oauth()
		oauth.HTTP.Timeout = time.Hour
		g := newGuarded(t, auth.Options{OAuth: oauth})
		began := time.Now()
		g.bearer(t, access(t, nil)).expect(t, 503, "temporarily_unavailable")
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("it took %s", took)
		}
		g.bearer(t, access(t, nil)).expect(t, 503, "temporarily_unavailable")
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the next caller waited too: %s", took)
		}
	})
}

func TestFetchHasTotalTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		login := newFakeIssuer()
		login.issuer = issuerURL + "/realm"
		slow := func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(4 * time.Second):
				return status(http.StatusNotFound), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}
		for _, path := range []string{"/.well-known/oauth-authorization-server/realm", "/.well-known/openid-configuration/realm", "/realm/.well-known/openid-configuration"} {
			login.replies[issuerURL+path] = slow
		}
		g := newGuarded(t, auth.Options{OAuth: login.oauth()})
		began := time.Now()
		for range 3 { // only the first waits
			g.bearer(t, access(t, nil)).expect(t, 503, "temporarily_unavailable")
			if took := time.Since(began); took != 10*time.Second {
				t.Errorf("it took %s", took)
			}
		}
		if len(login.asked) != 3 {
			t.Errorf("asked %v", login.asked)
		}
	})
}

func TestRedirectOnSameServerIsFollowed(t *testing.T) {
	login := newFakeIssuer()
	login.metadata["jwks_uri"] = issuerURL + "/old"
	login.replies[issuerURL+"/old"] = redirect(issuerURL + "/jwks")
	newGuarded(t, auth.Options{OAuth: login.oauth(), Now: (&clock{noon}).now}).bearer(t, access(t, nil)).expect(t, 200, "")
}

func TestMetadataLocations(t *testing.T) {
	for _, c := range []struct{ issuer, metadata string }{
		{"https://login.example", "https://login.example/.well-known/oauth-authorization-server"},
		{"https://login.example", "https://login.example/.well-known/openid-configuration"},
		{"https://login.example/", "https://login.example/.well-known/openid-configuration"},
		{"https://login.example/realms/home", "https://login.example/.well-known/oauth-authorization-server/realms/home"},
		{"https://login.example/realms/home", "https://login.example/.well-known/openid-configuration/realms/home"},
		{"https://login.example/realms/home", "https://login.example/realms/home/.well-known/openid-configuration"},
		{"https://login.example/realms/home/", "https://login.example/realms/home/.well-known/openid-configuration"},
		{"http://localhost:8080", "http://localhost:8080/.well-known/openid-configuration"},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080/.well-known/openid-configuration"},
		{"http://[::1]:8080", "http://[::1]:8080/.well-known/openid-configuration"},
	} {
		login := newFakeIssuer()
		login.issuer = c.issuer
		login.replies[issuerURL+"/.well-known/oauth-authorization-server"] = func(*http.Request) (*http.Response, error) { return status(404), nil }
		login.replies[c.metadata] = func(*http.Request) (*http.Response, error) {
			return document(map[string]any{"issuer": c.issuer, "jwks_uri": issuerURL + "/jwks"}), nil
		}
		g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: (&clock{noon}).now})
		if got := g.bearer(t, access(t, map[string]any{"iss": c.issuer})); got.status != 200 {
			t.Errorf("%s, described at %s: %d %s", c.issuer, c.metadata, got.status, g.log.String())
		}
	}
}

func TestOnlyFirstHundredKeysAreRead(t *testing.T) {
	login := newFakeIssuer()
	right := login.keys[0]
	login.keys = nil
	for i := range 100 {
		login.keys = append(login.keys, jose.JSONWebKey{Key: p256.Public(), KeyID: fmt.Sprint(i)})
	}
	login.keys = append(login.keys, right)
	g := newGuarded(t, auth.Options{OAuth: login.oauth(), Now: (&clock{noon}).now})
	g.bearer(t, access(t, nil)).expect(t, 401, "invalid_token")
	login.keys = login.keys[1:]
	g = newGuarded(t, auth.Options{OAuth: login.oauth(), Now: (&clock{noon}).now})
	g.bearer(t, access(t, nil)).expect(t, 200, "")
}

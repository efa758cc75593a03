package auth_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/fault"
)

func TestMetadataAndChallenge(t *testing.T) {
	for _, c := range []struct {
		name, resource, audience string
		scopes                   bool
		want                     map[string]any
		paths                    []string
		url                      string
	}{
		{
			name: "an endpoint with a path", resource: resource, scopes: true,
			want:  map[string]any{"resource": resource, "scopes_supported": []any{"notes:read", "notes:write"}},
			paths: []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"},
			url:   "https://notes.example/.well-known/oauth-protected-resource/mcp",
		},
		{
			name: "below another path", resource: "https://example.com/notes/mcp",
			want:  map[string]any{"resource": "https://example.com/notes/mcp"},
			paths: []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/notes/mcp"},
			url:   "https://example.com/.well-known/oauth-protected-resource/notes/mcp",
		},
		{
			name: "without a path", resource: "http://localhost:1065/", audience: "our-name",
			want:  map[string]any{"resource": "our-name"},
			paths: []string{"/.well-known/oauth-protected-resource"},
			url:   "http://localhost:1065/.well-known/oauth-protected-resource",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			oauth := newFakeIssuer().oauth()
			oauth.Resource, oauth.Audience, oauth.RequireScopes = c.resource, c.audience, c.scopes
			g := newGuarded(t, auth.Options{OAuth: oauth})
			recorder := httptest.NewRecorder()
			g.guard.Metadata().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
			var got map[string]any
			if err := json.Unmarshal(recorder.Body.Bytes(), &got); err != nil || recorder.Code != 200 {
				t.Fatalf("%d %s: %v", recorder.Code, recorder.Body, err)
			}
			c.want["authorization_servers"] = []any{issuerURL}
			c.want["bearer_methods_supported"] = []any{"header"}
			c.want["resource_name"] = "Obsidian vault"
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.paths, g.guard.MetadataPaths()); diff != "" {
				t.Error(diff)
			}
			challenge := g.ask(t, "").challenge
			want := `Bearer realm="obsidian-mcp", resource_metadata="` + c.url + `"`
			if c.scopes {
				want = `Bearer realm="obsidian-mcp", scope="notes:read notes:write", resource_metadata="` + c.url + `"`
			}
			if challenge != want {
				t.Errorf("got %s\nwant %s", challenge, want)
			}
			recorder = httptest.NewRecorder()
			g.guard.Metadata().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/", nil))
			if recorder.Code != http.StatusMethodNotAllowed || recorder.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("POST: %d", recorder.Code)
			}
		})
	}
}

func TestNoMetadataWithoutOAuth(t *testing.T) {
	_, known := token(t, "phone", auth.Grant{})
	g := newGuarded(t, auth.Options{Tokens: []auth.Token{known}})
	recorder := httptest.NewRecorder()
	g.guard.Metadata().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
	if recorder.Code != 404 || recorder.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d", recorder.Code)
	}
	if len(g.guard.MetadataPaths()) != 2 {
		t.Errorf("%q", g.guard.MetadataPaths())
	}
}

func TestInvalidSettingsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*auth.OAuth)
		says  string
	}{
		{"no issuer", func(o *auth.OAuth) { o.Issuer = "" }, "must begin with https://"},
		{"an issuer without TLS", func(o *auth.OAuth) { o.Issuer = "http://login.example" }, "must begin with https://"},
		{"an issuer that sounds like this machine", func(o *auth.OAuth) { o.Issuer = "http://localhost.evil.example" }, "must begin with https://"},
		{"an issuer of another kind", func(o *auth.OAuth) { o.Issuer = "file:///etc" }, "must begin with https://"},
		{"an issuer without a host", func(o *auth.OAuth) { o.Issuer = "https:///x" }, "must begin with https://"},
		{"no URL", func(o *auth.OAuth) { o.Issuer = "https://[" }, "is not a URL"},
		{"an issuer with a query", func(o *auth.OAuth) { o.Issuer += "?x" }, "only a host and a path"},
		{"an issuer with a fragment", func(o *auth.OAuth) { o.Issuer += "#" }, "only a host and a path"},
		{"an issuer with a password", func(o *auth.OAuth) { o.Issuer = "https://a:canary@login.example" }, "only a host and a path"},
		{"quotes in the resource", func(o *auth.OAuth) { o.Resource = `https://notes.example"x/mcp` }, "only a host and a path"},
		{"no resource", func(o *auth.OAuth) { o.Resource = "" }, "must begin with https://"},
		{"no users", func(o *auth.OAuth) { o.Users = nil }, "has no users"},
		{"a user without a name", func(o *auth.OAuth) { o.Users = []auth.User{{}} }, "either a subject or an email"},
		{"a user with two", func(o *auth.OAuth) { o.Users = []auth.User{{Subject: "a", Email: "b"}} }, "either a subject or an email"},
		{"a subject twice", func(o *auth.OAuth) { o.Users = []auth.User{{Subject: "a"}, {Subject: "b"}, {Subject: "a"}} }, "'a' is listed twice"},
		{"an email twice", func(o *auth.OAuth) { o.Users = []auth.User{{Email: "a@b"}, {Email: "A@B"}} }, "'A@B' is listed twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			oauth := newFakeIssuer().oauth()
			c.spoil(oauth)
			_, err := auth.New(auth.Options{OAuth: oauth})
			if !errors.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "canary") {
				t.Errorf("%v", err)
			}
		})
	}
	oauth := newFakeIssuer().oauth()
	oauth.HTTP = nil
	if _, err := auth.New(auth.Options{OAuth: oauth}); err != nil {
		t.Error(err)
	}
}

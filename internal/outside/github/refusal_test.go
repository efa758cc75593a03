package github_test

import (
	"errors"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/outside/github"
	"obsidian-mcp/internal/outside/github/githubtest"
)

// TestRefusals: each answer of a host has its kind of error, which names what is wrong and the setting to look at.
func TestRefusals(t *testing.T) {
	page := "<!DOCTYPE html><title>Sign in</title>"
	for _, test := range []struct {
		name    string
		status  int
		headers map[string]string
		body    string
		kind    fault.Kind
		message string
		hint    string
	}{
		{"a bad token", 401, nil, `{"message":"Bad credentials"}`, fault.PermissionDenied, "does not accept the token: Bad credentials", "adr.token_file"},
		{"no rights", 403, nil, `{"message":"Resource not accessible by personal access token"}`, fault.PermissionDenied, "may not read the repository in repository 'octo/decisions': Resource", "adr.token_file"},
		{"rate limit", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1767225600"}, `{"message":"API rate limit exceeded"}`, fault.RateLimited, "allows no more requests", "try again after 2026-01-01T00:00:00Z"},
		{"secondary rate limit", 403, map[string]string{"Retry-After": "42"}, `{"message":"You have exceeded a secondary rate limit"}`, fault.RateLimited, "allows no more requests", "try again in 42 seconds"},
		{"too many requests", 429, map[string]string{"Retry-After": "Thu, 01 Jan 2026 00:00:00 GMT"}, page, fault.RateLimited, "allows no more requests", "try again after 2026-01-01T00:00:00Z"},
		{"too many requests, nobody knows until when", 429, nil, `{}`, fault.RateLimited, "allows no more requests", "try again later"},
		{"a missing or private repository", 404, nil, `{"message":"Not Found"}`, fault.NotFound, "repository 'octo/decisions' not found at", "adr.repo"},
		{"a gone repository", 451, nil, `{"message":"Repository access blocked"}`, fault.StoreUnavailable, "status 451: Repository access blocked", "adr.repo"},
		{"a refusal with details", 422, nil, `{"message":"Validation Failed","errors":[{"field":"head","code":"invalid"},"plain",{"message":"more"},7]}`, fault.InvalidArgument, "Validation Failed: head invalid: plain: more", "adr.branch"},
		{"an error of the host", 500, nil, `{"message":"Server Error"}`, fault.StoreUnavailable, "answers with status 500: Server Error", "adr.api"},
		{"an error of a proxy", 502, nil, page, fault.StoreUnavailable, "answers with status 502", "adr.api"},
		{"a web page", 200, map[string]string{"Content-Type": "text/html"}, page, fault.StoreUnavailable, "is not GitHub's API: it sends a web page", "adr.api"},
		{"a web page of the right type", 200, nil, page, fault.StoreUnavailable, "is not GitHub's API", "adr.api"},
		{"a page that is not there", 404, map[string]string{"Content-Type": "text/html"}, page, fault.StoreUnavailable, "is not GitHub's API", "/api/v3"},
		{"JSON of another kind", 200, nil, `[]`, fault.StoreUnavailable, "is not GitHub's API", "adr.api"},
		{"JSON of another service", 200, nil, `{"hello":"world"}`, fault.StoreUnavailable, "is not GitHub's API", "adr.api"},
		{"a huge answer", 200, nil, `"` + strings.Repeat("x", 1<<20) + `"`, fault.StoreUnavailable, "larger than 1 MB", "adr.api"},
		{"a redirect to another host", 302, map[string]string{"Location": "https://login.example/sso?x=1"}, "", fault.StoreUnavailable, "redirects to https://login.example,", "adr.api"},
		{"a redirect without a target", 302, nil, "", fault.StoreUnavailable, "status 302", "adr.api"},
		{"a renamed repository", 301, map[string]string{"Location": "/api/v3/repositories/1"}, `{"message":"Moved Permanently"}`, fault.NotFound, "has moved", "adr.repo"},
		{"a message that echoes the token", 400, nil, `{"message":"bad header ` + githubtest.Token + `\n\u001b[31m` + strings.Repeat("long ", 100) + `"}`, fault.StoreUnavailable, "bad header *** ␛[31mlong", "adr.api"},
	} {
		server := githubtest.New(t, map[string]string{})
		server.Before = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			for name, value := range test.headers {
				w.Header().Set(name, value)
			}
			w.WriteHeader(test.status)
			w.Write([]byte(test.body))
			return true
		}
		_, err := client(t, server, nil).Publish(t.Context(), record("one"))
		if fault.KindOf(err) != test.kind || err == nil || !strings.Contains(err.Error(), test.message) || !strings.Contains(fault.HintOf(err), test.hint) {
			t.Errorf("%s: %s: %v (%s)", test.name, fault.KindOf(err), err, fault.HintOf(err))
			continue
		}
		if text := err.Error() + fault.HintOf(err); strings.Contains(text, githubtest.Token) || strings.Contains(text, "\n") || len(text) > 600 {
			t.Errorf("%s: the error is not fit to be shown: %q", test.name, text)
		}
		if made := server.Requests(); len(made) != 1 {
			t.Errorf("%s: the requests are %q", test.name, made)
		}
	}
}

func TestUnreachableHost(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	c := client(t, server, func(o *github.Options) { o.API = "http://127.0.0.1:1" })
	_, err := c.Publish(t.Context(), record("one"))
	if !errors.Is(err, fault.StoreUnavailable) || !strings.Contains(err.Error(), "cannot reach 127.0.0.1:1") || !strings.Contains(fault.HintOf(err), "adr.api") {
		t.Errorf("got %v (%s)", err, fault.HintOf(err))
	}
}

func TestHeaders(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	server.Before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("User-Agent") != "obsidian-mcp/1.2" || r.Header.Get("Accept") != "application/vnd.github+json" || strings.Contains(r.URL.String(), githubtest.Token) {
			t.Errorf("%s %s has the headers %v", r.Method, r.URL, r.Header)
		}
		return false
	}
	if _, err := client(t, server, nil).Publish(t.Context(), record("one")); err != nil {
		t.Fatal(err)
	}
}

func TestTokenFile(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	for text, message := range map[string]string{
		"": "is empty", " \n\n": "is empty", githubtest.Token + "\nanother\n": "has several lines", "two words": "characters that no token has",
		"tökén": "characters that no token has", strings.Repeat("x", 5000): "too large",
	} {
		_, err := client(t, server, func(o *github.Options) { o.TokenFile = tokenFile(t, text) }).Publish(t.Context(), record("one"))
		if !errors.Is(err, fault.PermissionDenied) || !strings.Contains(err.Error(), "adr.token_file: the file") || !strings.Contains(err.Error(), message) {
			t.Errorf("a file with %.20q: %v", text, err)
		}
	}
	folder := t.TempDir()
	for _, name := range []string{folder, folder + "/none"} {
		_, err := client(t, server, func(o *github.Options) { o.TokenFile = name }).Publish(t.Context(), record("one"))
		if !errors.Is(err, fault.PermissionDenied) || !strings.Contains(err.Error(), "adr.token_file: the file cannot be read") || strings.Contains(err.Error(), folder) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if made := server.Requests(); len(made) != 0 {
		t.Errorf("without a token the requests are %q", made)
	}

	name := tokenFile(t, "old")
	c := client(t, server, func(o *github.Options) { o.TokenFile = name })
	if _, err := c.Plan(t.Context(), record("one")); !errors.Is(err, fault.PermissionDenied) {
		t.Errorf("an old token: %v", err)
	}
	if err := os.WriteFile(name, []byte("\ufeff"+githubtest.Token+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Plan(t.Context(), record("one")); err != nil {
		t.Errorf("the new token, without a new start: %v", err)
	}
}

func TestCheck(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	name := tokenFile(t, githubtest.Token)
	c := client(t, server, func(o *github.Options) { o.TokenFile = name })
	if got, err := c.Check(t.Context()); err != nil || got != (github.Checked{Repo: githubtest.Repo, DefaultBranch: "main"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Check(t.Context()); err != nil || got.TokenShared != (runtime.GOOS != "windows") {
		t.Errorf("a token that others may read: %+v, %v", got, err)
	}
	server.Archived = true
	if _, err := c.Check(t.Context()); !errors.Is(err, fault.PermissionDenied) {
		t.Errorf("an archived repository: %v", err)
	}
	if made := writes(server.Requests()); len(made) != 0 {
		t.Errorf("a check made the requests %q", made)
	}
}

package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
)

// views lists all pages that a GET shows.
var views = []string{
	"/", "/today", "/tasks", "/query", "/query?q=LIST", "/changes", "/search", "/search?q=garden", "/note?path=Garden.md", "/graph", "/graph?note=Garden",
	"/tools", "/tools/read_note", "/connect", "/livesync", "/access",
}

// Every page exists, has a strict policy, and contains nothing that the policy forbids.
func TestViews(t *testing.T) {
	s := open(t)
	inline := regexp.MustCompile(`(?i)<script(?: [^s]|>)|<style|\sstyle=|\son[a-z]+=|javascript:`)
	for _, path := range views {
		got := s.get(path)
		got.expect(t, http.StatusOK)
		if found := inline.FindString(got.body); found != "" {
			t.Errorf("%s has %q", path, found)
		}
		if !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html; charset=utf-8") {
			t.Errorf("%s is %s", path, got.Header.Get("Content-Type"))
		}
		csp := got.Header.Get("Content-Security-Policy")
		for _, rule := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "form-action 'self'",
			"base-uri 'none'", "frame-ancestors 'none'",
		} {
			if !strings.Contains(csp, rule) {
				t.Errorf("%s: no %s in the policy", path, rule)
			}
		}
		if strings.Contains(csp, "unsafe") || got.Header.Get("X-Content-Type-Options") != "nosniff" ||
			got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, got.Header)
		}
	}
	s.get("/nowhere").expect(t, http.StatusNotFound, "there is no page at /nowhere")
}

// Paths covers everything that the page serves.
func TestPaths(t *testing.T) {
	s := open(t)
	mux := http.NewServeMux()
	for _, path := range Paths() {
		mux.Handle(path, s.page)
	}
	for _, view := range append(views, "/now", "/recent", "/file", "/login", "/logout", "/assets/page.css", "/changes/x/undo", "/tasks/tick") {
		where, err := url.Parse(view)
		if err != nil {
			t.Fatal(err)
		}
		if _, pattern := mux.Handler(&http.Request{Method: http.MethodGet, URL: where}); pattern == "" {
			t.Errorf("%s is not among Paths", view)
		}
		takesForms := where.Path == "/logout" || strings.HasSuffix(where.Path, "/undo") || strings.HasSuffix(where.Path, "/tick")
		if !s.page.Has(where.Path) && !takesForms {
			t.Errorf("the page does not have %s", where.Path)
		}
	}
	for _, path := range []string{"/mcp", "/sse", "/messages", "/healthz", "/metrics", "/else", "/.well-known/x"} {
		if s.page.Has(path) {
			t.Errorf("the page has %s", path)
		}
	}
}

// Assets have the right type, and browsers keep them only under the address that names their version.
func TestAssets(t *testing.T) {
	s := open(t)
	page := s.get("/").body
	addresses := regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(addresses) < 5 {
		t.Fatalf("%d assets in\n%s", len(addresses), page)
	}
	for _, address := range addresses {
		got := s.get(address[1])
		got.expect(t, http.StatusOK)
		isCached := strings.Contains(got.Header.Get("Cache-Control"), "immutable")
		if got.body == "" || !isCached || got.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %v", address[1], got.Header)
		}
	}
	if got := s.get("/assets/page.css"); got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", got.Header)
	}
	s.get("/assets/absent.css").expect(t, http.StatusNotFound)
	s.get("/assets/..%2fweb.go").expect(t, http.StatusNotFound)
}

// Every path that takes forms refuses one without the token of this login.
func TestRefusesForgedForms(t *testing.T) {
	first, laptop := token(t, "laptop", fullGrant)
	second, phone := token(t, "phone", fullGrant)
	for name, s := range map[string]*site{"open": open(t), "with logins": open(t, laptop, phone)} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			of := "caller anonymous"
			if name != "open" {
				s.logIn(first, "/").expect(t, http.StatusSeeOther)
				of = s.page.logins.begin(second, "token phone") // another person's login
			}
			others := s.page.formToken(of + "x")
			if name != "open" {
				others = s.page.formToken(of)
			}
			before := fmt.Sprint(s.store.Files())
			for _, forged := range []string{"", "x", others, s.page.formToken(loginForm)} {
				for _, path := range []string{"/tools/append_note", "/tools/delete_note", "/changes/x/undo", "/livesync"} {
					got := s.send(http.MethodPost, path, url.Values{
						"form": {forged}, "name": {"Garden"}, "text": {"x"}, "url": {"http://x"}, "database": {"x"},
					})
					got.expect(t, http.StatusForbidden, "the form was not sent from this page")
				}
			}
			if after := fmt.Sprint(s.store.Files()); after != before || len(s.tested) > 0 || len(s.calls) > 0 {
				t.Errorf("a forged form had an effect: %v %v", s.tested, s.calls)
			}
			for _, path := range []string{"/tools/append_note?name=Garden&text=x", "/changes/x/undo", "/livesync?url=http://x"} {
				s.get(path)
			}
			if after := fmt.Sprint(s.store.Files()); after != before || len(s.tested) > 0 {
				t.Error("a GET changed something")
			}
		})
	}
}

// Until a client calls, the overview says how to connect one.
func TestOverviewSaysWhatToDoNext(t *testing.T) {
	s := open(t)
	s.get("/").expect(t, http.StatusOK, "What to do next", `href="/connect"`, `href="/tools"`)
	s.called = true
	s.get("/").lacks(t, "What to do next")
}

func TestEveryKindHasAStatus(t *testing.T) {
	for _, kind := range fault.Kinds() {
		if status := statusOf(kind); (status == http.StatusInternalServerError) != (kind == fault.Internal) || status < 400 {
			t.Errorf("%v: %d", kind, status)
		}
	}
}

func TestAgo(t *testing.T) {
	now := time.Now()
	for passed, want := range map[time.Duration]string{
		-time.Minute: "just now", 0: "just now", 30 * time.Second: "30 seconds ago", 5 * time.Minute: "5 minutes ago", 3 * time.Hour: "3 hours ago", 72 * time.Hour: "3 days ago",
	} {
		if got := ago(now, now.Add(-passed)); got != want {
			t.Errorf("%v: %q", passed, got)
		}
	}
}

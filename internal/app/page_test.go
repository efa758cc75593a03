package app

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// vaultWith makes a vault with these files.
func vaultWith(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, files)
	return dir
}

// TestPage: the page has the same login as the API, and its forms call the same tools.
func TestPage(t *testing.T) {
	t.Parallel()
	dir := vaultWith(t, map[string]string{"Garden.md": "Tomatoes.\n", "Closed/Diary.md": "canary\n"})
	log := filepath.Join(t.TempDir(), "audit.log")
	limited, entry := testToken("phone", "read_only: true", "deny: [Closed/]")
	s := startHTTP(t, dir, "OBSIDIAN_MCP_TOKEN=omcp_the-owner-of-all-this", "OBSIDIAN_MCP_AUDIT_LOG="+log, configFile(t, "tokens:\n"+entry))
	owner := bearer("omcp_the-owner-of-all-this")

	if got := s.do("GET", "/", ""); got.status != http.StatusSeeOther || got.header.Get("Location") != "/login?next=%2F" {
		t.Errorf("without a login: %d %s", got.status, got.header.Get("Location"))
	}
	overview := s.do("GET", "/", "", owner...)
	for _, part := range []string{"2 notes", dir, "phone"} {
		shown := overview.body
		if part == "phone" {
			shown = s.do("GET", "/access", "", owner...).body
		}
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in\n%s", part, shown)
		}
	}
	if got := s.do("GET", "/", "", bearer(limited)...); !strings.Contains(got.body, "1 note") || strings.Contains(got.body, dir) {
		t.Errorf("a limited login sees:\n%s", got.body)
	}
	for _, path := range []string{"/", "/search?q=canary", "/note?path=Closed/Diary.md", "/graph?note=Diary", "/file?path=Closed/Diary.md", "/access", "/connect", "/changes"} {
		if got := s.do("GET", path, "", bearer(limited)...); strings.Contains(got.body, "canary\n") || strings.Contains(got.body, "owner-of-all") || strings.Contains(got.body, dir) {
			t.Errorf("%s shows closed things to a limited login\n%s", path, got.body)
		}
	}

	form := regexp.MustCompile(`name="form" value="([^"]+)"`).FindStringSubmatch(s.do("GET", "/tools/append_note", "", owner...).body)
	if form == nil {
		t.Fatal("there is no form")
	}
	send := url.Values{"form": {form[1]}, "name": {"Garden"}, "text": {"Beans."}}.Encode()
	if got := s.do("POST", "/tools/append_note", send, append(owner, "Content-Type: application/x-www-form-urlencoded")...); got.status != http.StatusOK || !strings.Contains(got.body, "change_id") {
		t.Errorf("%d\n%s", got.status, got.body)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "Garden.md")); err != nil || !strings.HasSuffix(string(text), "Beans.\n") {
		t.Errorf("%q %v", text, err)
	}
	if got := s.do("POST", "/tools/append_note", send, append(owner, "Content-Type: application/x-www-form-urlencoded", "Origin: https://evil.example")...); got.status != http.StatusForbidden {
		t.Errorf("a form of another site: %d", got.status)
	}
	if changes := s.do("GET", "/changes", "", owner...); !strings.Contains(changes.body, "web page") || !strings.Contains(changes.body, "append_note") {
		t.Errorf("%s", changes.body)
	}
	lines, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var last struct{ Client, Token, Tool string }
	for line := range strings.Lines(string(lines)) {
		if strings.Contains(line, "append_note") {
			if err := json.Unmarshal([]byte(line), &last); err != nil {
				t.Fatal(err)
			}
		}
	}
	if last.Client != "web page" || last.Token != "OBSIDIAN_MCP_TOKEN" {
		t.Errorf("the audit log has %+v", last)
	}
}

// TestPageBehindTLS: the server knows that a browser uses TLS if the browser calls the public URL, or if a trusted proxy
// says so. A browser without TLS would never send a Secure cookie back.
func TestPageBehindTLS(t *testing.T) {
	t.Parallel()
	const token = "omcp_the-owner-of-all-this"
	byTLS := "X-Forwarded-Proto: https"
	for name, c := range map[string]struct {
		settings []string
		header   string
		secure   bool // the cookie is Secure
		https    bool // the page shows an https address to clients
	}{
		"plain HTTP":         {},
		"an untrusted proxy": {header: byTLS},
		"a trusted proxy":    {settings: []string{"OBSIDIAN_MCP_TRUSTED_PROXIES=127.0.0.1"}, header: byTLS, secure: true, https: true},
		"the public address": {settings: []string{"OBSIDIAN_MCP_PUBLIC_URL=https://notes.example"}, header: "Host: Notes.example:443", secure: true, https: true},
		"another address":    {settings: []string{"OBSIDIAN_MCP_PUBLIC_URL=https://notes.example", "OBSIDIAN_MCP_ALLOWED_HOSTS=nas.local"}, header: "Host: nas.local", https: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := startHTTP(t, vaultWith(t, map[string]string{"a.md": "a"}), append(c.settings, "OBSIDIAN_MCP_TOKEN="+token)...)
			var headers []string
			if c.header != "" {
				headers = append(headers, c.header)
			}
			form := regexp.MustCompile(`name="form" value="([^"]+)"`).FindStringSubmatch(s.do("GET", "/login", "", headers...).body)
			if form == nil {
				t.Fatal("there is no form")
			}
			login := s.do("POST", "/login", url.Values{"form": {form[1]}, "token": {token}}.Encode(), append(headers, "Content-Type: application/x-www-form-urlencoded")...)
			if got := login.header.Get("Set-Cookie"); got == "" || strings.Contains(got, "; Secure") != c.secure {
				t.Errorf("the cookie of the login: %d %q", login.status, got)
			}
			shown := s.do("GET", "/connect", "", append(headers, bearer(token)...)...).body
			if strings.Contains(shown, "https://") != c.https || !strings.Contains(shown, "/mcp") {
				t.Errorf("the page shows\n%s", shown)
			}
		})
	}
}

// TestConnectKeepsLimits: a server that a client starts by the shown entry has the same limits as this one.
func TestConnectKeepsLimits(t *testing.T) {
	t.Parallel()
	token := "a-token-that-nobody-knows"
	own, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	config := filepath.Join(own, "obsidian-mcp.yaml")
	if err := os.WriteFile(config, []byte("toolsets: notes\ntoken: "+token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startHTTP(t, vaultWith(t, map[string]string{"a.md": "a"}), "OBSIDIAN_MCP_READ_ONLY=true", "OBSIDIAN_MCP_STATE_DIR="+state, "XDG_CONFIG_HOME="+own)
	shown := html.UnescapeString(s.do("GET", "/connect", "", bearer(token)...).body)
	for _, want := range []string{`"OBSIDIAN_MCP_READ_ONLY": "true"`, `"OBSIDIAN_MCP_STATE_DIR": "` + state, "--config", config} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %s in\n%s", want, shown)
		}
	}
	for _, unwanted := range []string{token, "OBSIDIAN_MCP_TOOLSETS", "OBSIDIAN_MCP_PORT"} {
		if strings.Contains(shown, unwanted) {
			t.Errorf("%s is shown", unwanted)
		}
	}
}

// TestPageOff: with the page off there is only the API.
func TestPageOff(t *testing.T) {
	t.Parallel()
	s := startHTTP(t, vaultWith(t, map[string]string{"a.md": "a"}), "OBSIDIAN_MCP_PAGE=off")
	for _, path := range []string{"/", "/login", "/tools", "/assets/page.css"} {
		if got := s.do("GET", path, ""); got.status != http.StatusNotFound || !strings.Contains(got.body, "the server is at /mcp") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// TestPageHasTheSameLimits: calls from the page count against the same rate limits as calls over MCP.
func TestPageHasTheSameLimits(t *testing.T) {
	t.Parallel()
	s := startHTTP(t, vaultWith(t, map[string]string{"a.md": "a"}), "OBSIDIAN_MCP_RATE_CALLS=3")
	last := 0
	for range 5 {
		last = s.do("GET", "/changes", "").status
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the fifth call: %d", last)
	}
}

// TestNoSuchPage: browsers get a page that says so, programs get JSON.
func TestNoSuchPage(t *testing.T) {
	t.Parallel()
	s := startHTTP(t, vaultWith(t, map[string]string{"a.md": "a"}))
	if got := s.do("GET", "/serach", "", "Accept: text/html"); got.status != http.StatusNotFound || !strings.Contains(got.body, "there is no page at /serach") {
		t.Errorf("%d %s", got.status, got.body)
	}
	for _, accept := range []string{"Accept: application/json", "Accept: */*"} {
		if got := s.do("GET", "/serach", "", accept); got.status != http.StatusNotFound || !strings.Contains(got.body, "the server is at /mcp") || strings.Contains(got.body, "<html") {
			t.Errorf("%s: %d %s", accept, got.status, got.body)
		}
	}
}

// TestLinksFromOtherSites: a link on another site may lead to the page, but not to the API.
func TestLinksFromOtherSites(t *testing.T) {
	t.Parallel()
	s := startHTTP(t, vaultWith(t, map[string]string{"a.md": "a"}))
	visit := []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}
	for path, want := range map[string]int{"/": 200, "/search": 200, "/mcp": 403, "/sse": 403, "/nowhere": 403} {
		if got := s.do("GET", path, "", visit...); got.status != want {
			t.Errorf("%s: %d, want %d", path, got.status, want)
		}
	}
}

// TestPageTestsLiveSync: the connection test finds what doctor finds. The secrets of the served database are used for
// that database only.
func TestPageTestsLiveSync(t *testing.T) {
	t.Parallel()
	f := fixtureNamed(t, "e2ee-v2-obfuscated")
	d, settings := f.load(t)
	s := startHTTP(t, "", settings...)
	form := regexp.MustCompile(`name="form" value="([^"]+)"`).FindStringSubmatch(s.do("GET", "/livesync", "").body)
	if form == nil {
		t.Fatal("there is no form")
	}
	test := func(changes ...string) string {
		values := url.Values{"form": {form[1]}, "url": {d.URL}, "database": {d.Name}, "user": {d.User}}
		for _, change := range changes {
			name, value, _ := strings.Cut(change, "=")
			values.Set(name, value)
		}
		got := s.do("POST", "/livesync", values.Encode(), "Content-Type: application/x-www-form-urlencoded", "HX-Request: true")
		if got.status != http.StatusOK || strings.Contains(got.body, d.Password) || strings.Contains(got.body, f.passphrase) {
			t.Errorf("%v: %d %s", changes, got.status, got.body)
		}
		return got.body
	}
	for _, c := range []struct {
		changes []string
		want    string
	}{
		{nil, "passphrase: opens the vault"},
		{[]string{"password=wrong"}, "COUCHDB_PASSWORD"},
		{[]string{"passphrase=wrong"}, "passphrase"},
		{[]string{"database=absent"}, "COUCHDB_DATABASE_NAME"},
		{[]string{"url=http://127.0.0.1:1"}, "server:"},
		{[]string{"url=" + d.URL + "/"}, "login:"}, // another spelling counts as another server, which gets no secrets
	} {
		got := test(c.changes...)
		if !strings.Contains(got, c.want) || strings.Contains(got, "mark failed") != (c.changes != nil) {
			t.Errorf("%v: %q is not in\n%s", c.changes, c.want, got)
		}
	}
	link := linkTo(t, d, f.passphrase, map[string]any{"encrypt": true, "usePathObfuscation": true})
	for _, c := range []struct {
		changes   []string
		want      string
		isFailure bool
	}{
		{[]string{"link=" + link, "link_passphrase=pw", "url="}, "link: its settings are those of the database", false},
		{[]string{"link=" + link, "link_passphrase=pw", "url=http://127.0.0.1:1"}, "passphrase: opens the vault", false}, // the link counts
		{[]string{"link=" + link, "link_passphrase=wrong"}, "link: the passphrase does not open the link", true},
		{[]string{"link=" + link}, "link: the link&#39;s passphrase is missing", true},
		{[]string{"link=" + link[:80], "link_passphrase=pw"}, "link: the link is incomplete or damaged", true},
		{[]string{"link=" + linkTo(t, d, "wrong", map[string]any{"encrypt": true}), "link_passphrase=pw"}, "does not open the database", true},
	} {
		got := test(c.changes...)
		if !strings.Contains(got, c.want) || strings.Contains(got, "mark failed") != c.isFailure {
			t.Errorf("%v: %q is not in\n%s", c.changes, c.want, got)
		}
	}
}

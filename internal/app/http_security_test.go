package app

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
)

// allRoutes are all paths that the server serves, and some that it does not.
var allRoutes = []string{
	"/", "/search", "/assets/page.css", "/mcp", "/sse", "/messages", "/messages?sessionId=x", "/healthz", "/readyz", "/metrics",
	"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/none", "//mcp", "/mcp/../healthz",
}

var allMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"}

// foreignHosts are host names that are not the server's.
var foreignHosts = []string{
	"evil.com", "localhost.evil.example", "127.0.0.1.evil.example", "evil-localhost", "example.ts.net", "x.example.ts.net.evil.com", "nas.local:9",
	"2130706433", "0x7f.0.0.1", "192.168.7.7", "[2001:db8::1]",
}

// foreignOrigins are origins that the settings do not allow. The same host with another port is foreign, too.
var foreignOrigins = []string{
	"http://evil.com", "https://localhost.evil.example", "null", "file://", "http://127.0.0.1:1", "http://localhost:1", "https://claude.ai.evil.com", "http://claude.ai",
	"https://claude.ai:8443", "https://claude.ai@evil.com", "https://claude.ai, http://evil.com", "*", "evil",
}

func TestForeignHostsAndOriginsAreRefusedEverywhere(t *testing.T) {
	t.Parallel()
	s := startHTTP(t, smallVault(t), "--metrics", "OBSIDIAN_MCP_ALLOWED_HOSTS=nas.local:8443,*.example.ts.net,notes.example", "OBSIDIAN_MCP_ALLOWED_ORIGINS=https://claude.ai")
	for _, route := range append(slices.Clone(allRoutes), "/login", "/logout", "/livesync", "/tools/append_note", "/changes/x/undo") {
		for _, method := range allMethods {
			for _, host := range foreignHosts {
				s.checkRefused(method, route, "Host: "+host)
			}
			for _, origin := range foreignOrigins {
				s.checkRefused(method, route, "Origin: "+origin)
			}
			s.checkRefused(method, route, "Host: evil.com", "Origin: https://claude.ai")
			s.checkRefused(method, route, "Origin: https://claude.ai", "Origin: http://evil.com")
			s.checkRefused(method, route, "Sec-Fetch-Site: cross-site")
			s.checkRefused(method, route, "Sec-Fetch-Site: same-site")
			s.checkRefused(method, route, "Origin: http://evil.com", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization")
		}
	}
	for name, head := range map[string]string{
		"no Host":                "GET /healthz HTTP/1.0\r\n\r\n",
		"an empty Host":          "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
		"a foreign absolute URL": "GET http://evil.com/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"OPTIONS *":              "OPTIONS * HTTP/1.1\r\nHost: evil.com\r\n\r\n",
		"a user in the URL":      "GET http://127.0.0.1@evil.com/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"an empty Origin":        "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin:\r\n\r\n",
	} {
		if status := s.raw(head); status != http.StatusForbidden {
			t.Errorf("%s: status %d", name, status)
		}
	}
	for name, head := range map[string]string{
		"two Hosts":          "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.com\r\n\r\n",
		"a Host with spaces": "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1 evil.com\r\n\r\n",
		"HTTP/2":             "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"HTTP/1.1, no Host":  "GET /healthz HTTP/1.1\r\n\r\n",
	} {
		if status := s.raw(head); status != http.StatusBadRequest && status != http.StatusForbidden {
			t.Errorf("%s: status %d", name, status)
		}
	}
}

// checkRefused sends a request that must be refused, whatever its path is.
func (s *httpServer) checkRefused(method, route string, headers ...string) {
	s.t.Helper()
	got := s.do(method, route, "", headers...)
	if got.status != http.StatusForbidden {
		s.t.Errorf("%s %s %q: status %d, %s", method, route, headers, got.status, got.body)
	}
	checkNoCORS(s.t, got.header, method, route, headers)
}

func checkNoCORS(t *testing.T, header http.Header, what ...any) {
	t.Helper()
	for name := range header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%v: the answer has %s: %s", what, name, header.Get(name))
		}
	}
}

func TestOwnHostsAndOriginsPass(t *testing.T) {
	t.Parallel()
	s := startHTTP(t, smallVault(t), "--metrics", "OBSIDIAN_MCP_ALLOWED_HOSTS=nas.local,*.example.ts.net,[fd00::1]", "OBSIDIAN_MCP_PUBLIC_URL=https://notes.example.com/base")
	_, port, _ := strings.Cut(s.address(), ":")
	for _, headers := range [][]string{
		{}, {"Host: localhost"}, {"Host: LocalHost.:" + port}, {"Host: 127.0.0.1:" + port}, {"Host: 127.0.0.9"}, {"Host: [::1]:" + port}, {"Host: nas.local"}, {"Host: NAS.local:8443"},
		{"Host: a.b.example.ts.net"}, {"Host: [fd00::1]:1065"}, {"Host: notes.example.com"}, {"Sec-Fetch-Site: none"}, {"Sec-Fetch-Site: same-origin"},
		{"Host: localhost:" + port, "Origin: http://localhost:" + port}, {"Host: nas.local", "Origin: https://nas.local", "Sec-Fetch-Site: same-origin"},
	} {
		for _, route := range allRoutes {
			for _, method := range allMethods {
				got := s.do(method, route, "", headers...)
				if got.status == http.StatusForbidden || got.status >= 500 {
					t.Errorf("%s %s %q: status %d, %s", method, route, headers, got.status, got.body)
				}
				checkNoCORS(t, got.header, method, route, headers)
			}
		}
		for route, status := range map[string]int{"/": 200, "/search": 200, "/mcp": 400, "/sse": 200, "/messages": 405, "/healthz": 200, "/readyz": 200, "/metrics": 200, "/.well-known/oauth-protected-resource": 404, "/none": 404} {
			if got := s.do("GET", route, "", headers...); got.status != status {
				t.Errorf("GET %s %q: status %d, want %d", route, headers, got.status, status)
			}
		}
	}
}

func TestNamedOriginsGetCORSAndNoOthers(t *testing.T) {
	t.Parallel()
	s := startHTTP(t, smallVault(t), "OBSIDIAN_MCP_ALLOWED_ORIGINS=https://claude.ai, app://obsidian.md")
	for _, origin := range []string{"https://claude.ai", "app://obsidian.md"} {
		for _, route := range allRoutes {
			got := s.do("GET", route, "", "Origin: "+origin, "Sec-Fetch-Site: cross-site")
			if got.status == http.StatusForbidden || got.header.Get("Access-Control-Allow-Origin") != origin || got.header.Get("Access-Control-Allow-Credentials") != "" || !slices.Contains(got.header.Values("Vary"), "Origin") {
				t.Errorf("%s from %s: status %d, %v", route, origin, got.status, got.header)
			}
			asked := s.do("OPTIONS", route, "", "Origin: "+origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization, mcp-session-id, content-type, x-evil")
			if asked.status != http.StatusNoContent || asked.header.Get("Access-Control-Allow-Origin") != origin || !strings.Contains(asked.header.Get("Access-Control-Allow-Methods"), "DELETE") {
				t.Errorf("preflight of %s from %s: status %d, %v", route, origin, asked.status, asked.header)
			}
			if allowed := asked.header.Get("Access-Control-Allow-Headers"); !strings.Contains(allowed, "authorization") || !strings.Contains(allowed, "mcp-session-id") || strings.Contains(allowed, "x-evil") {
				t.Errorf("preflight of %s from %s allows %q", route, origin, allowed)
			}
		}
	}
	checkNoCORS(t, s.do("GET", "/healthz", "").header, "no origin")
	page := "http://" + s.address()
	checkNoCORS(t, s.do("GET", "/healthz", "", "Origin: "+page).header, page)
	for _, origins := range []string{"*", "https://*", "claude.ai", "null", "https://claude.ai/path"} {
		checkStartRefused(t, "is not a valid web origin", "OBSIDIAN_MCP_ALLOWED_ORIGINS="+origins)
	}
	for _, hosts := range []string{"*", "http://nas.local", "nas.local/x", "*.", "a*b"} {
		checkStartRefused(t, "is not a valid host", "OBSIDIAN_MCP_ALLOWED_HOSTS="+hosts)
	}
}

// checkStartRefused starts a server that must refuse to start, and returns its output.
func checkStartRefused(t *testing.T, reason string, settings ...string) string {
	t.Helper()
	cmd := httpCommand(t, smallVault(t), settings...)
	var output logBuffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for over := false; !over; {
		select {
		case <-ended:
			over = true
		case <-time.After(10 * time.Millisecond):
			if served.MatchString(output.String()) {
				_ = cmd.Process.Kill() // it serves, so it would never end
			}
		}
	}
	if status := cmd.ProcessState.ExitCode(); status != 2 || !strings.Contains(output.String(), reason) {
		t.Errorf("with %q: exit status %d, want 2 and %q: %s", settings, status, reason, output.String())
	}
	return output.String()
}

func TestOpenBindNeedsALogin(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"0.0.0.0", "::", "[::]", ""} {
		output := checkStartRefused(t, "without a login the server listens on loopback only", "--host="+host)
		if !strings.Contains(output, "OBSIDIAN_MCP_TOKEN") || !strings.Contains(output, "--insecure-no-auth") {
			t.Errorf("it does not say what to do: %s", output)
		}
	}
	if output := checkStartRefused(t, "only letters, digits", "OBSIDIAN_MCP_TOKEN=canary token!"); strings.Contains(output, "canary") {
		t.Errorf("the token is shown: %s", output)
	}
	if weak := startHTTP(t, smallVault(t), "OBSIDIAN_MCP_TOKEN=canary"); !strings.Contains(weak.stderr.String(), "OBSIDIAN_MCP_TOKEN is short") || strings.Contains(weak.stderr.String(), "canary") {
		t.Errorf("a token that can be guessed: %s", weak.stderr)
	}
	for _, blank := range []string{"", ",", " , "} {
		checkStartRefused(t, "OBSIDIAN_MCP_TOKEN", "OBSIDIAN_MCP_TOKEN="+blank)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	checkStartRefused(t, "OBSIDIAN_MCP_TOKEN_FILE", "OBSIDIAN_MCP_TOKEN_FILE="+empty) // never served without the login it asks for
	config := configFile(t, "tokens:\n  - name: phone\n    sha256: omcp_canarytokencanarytoken\n")
	if output := checkStartRefused(t, "64 hexadecimal digits", config); strings.Contains(output, "canarytoken") {
		t.Errorf("the token is shown: %s", output)
	}
	if got := startHTTP(t, smallVault(t), "HOST=0.0.0.0", "--insecure-no-auth").session("").request("ping", map[string]any{}); got.Error != nil {
		t.Errorf("%s", got.raw)
	}
	const token = "a-token-of-32-characters-0123456"
	s := startHTTP(t, smallVault(t), "HOST=0.0.0.0", "OBSIDIAN_MCP_TOKEN="+token)
	if got := s.do("POST", "/mcp", ""); got.status != http.StatusUnauthorized {
		t.Errorf("without a token: status %d", got.status)
	}
	s.session(token)
}

// guardedRoutes are the routes that show something of the vault.
var guardedRoutes = []struct{ method, path string }{
	{"POST", "/mcp"}, {"GET", "/mcp"}, {"DELETE", "/mcp"}, {"PUT", "/mcp"}, {"OPTIONS", "/mcp"}, {"GET", "/sse"}, {"POST", "/sse"}, {"POST", "/messages?sessionId=x"}, {"GET", "/messages"}, {"GET", "/metrics"}, {"POST", "/metrics"},
}

func TestTokens(t *testing.T) {
	t.Parallel()
	all, allEntry := testToken("all")
	over, overEntry := testToken("over", "expires: 2020-01-01")
	valid, validEntry := testToken("valid", "expires: 2999-01-01T00:00:00Z")
	inFile, _ := testToken("file")
	second, _ := testToken("second")
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(inFile+","+second+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startHTTP(t, smallVault(t), "--metrics", "OBSIDIAN_MCP_FAILED_LOGINS=0", "OBSIDIAN_MCP_TOKEN_FILE="+file, configFile(t, "tokens:\n"+allEntry+overEntry+validEntry))
	basic := base64.StdEncoding.EncodeToString([]byte("user:" + all))
	digest := sha256.Sum256([]byte(all))
	none := unsignedJWT(map[string]any{"sub": "me", "exp": time.Now().Unix() + 1000})
	for name, c := range map[string]struct {
		query   string
		headers []string
		status  int
	}{
		"none":               {"", nil, 401},
		"wrong":              {"", bearer("omcp_wrongwrongwrongwrong"), 401},
		"almost right":       {"", bearer(all[:len(all)-1]), 401},
		"in lower case":      {"", bearer(strings.ToLower(all)), 401},
		"its hash":           {"", bearer(fmt.Sprintf("%x", digest)), 401},
		"expired":            {"", bearer(over), 401},
		"in the query":       {"access_token=" + all, nil, 401},
		"in the query too":   {"access_token=" + all, bearer(all), 401},
		"as token=":          {"token=" + all, nil, 401},
		"a cookie":           {"", []string{"Cookie: token=" + all + "; access_token=" + all}, 401},
		"another header":     {"", []string{"X-Api-Key: " + all, "Proxy-Authorization: Bearer " + all}, 401},
		"basic":              {"", []string{"Authorization: Basic " + basic}, 401},
		"without the scheme": {"", []string{"Authorization: " + all}, 401},
		"twice":              {"", append(bearer(all), bearer(all)...), 400},
		"two in a header":    {"", []string{"Authorization: Bearer " + all + ", Bearer " + all}, 400},
		"an empty token":     {"", []string{"Authorization: Bearer "}, 401},
		"none-alg JWT":       {"", bearer(none), 401},
	} {
		for _, route := range guardedRoutes {
			path, body := route.path, `{"jsonrpc":"2.0","id":1,"method":"ping"}`
			if c.query != "" {
				path += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + c.query
			}
			got := s.do(route.method, path, body, c.headers...)
			isBad := got.status != c.status && !(name == "an empty token" && got.status == http.StatusBadRequest)
			if challenge := got.header.Get("WWW-Authenticate"); isBad || !strings.HasPrefix(challenge, "Bearer ") || strings.Contains(got.body+challenge, all) {
				t.Errorf("%s, %s %s: status %d, want %d, challenge %q, %s", name, route.method, route.path, got.status, c.status, challenge, got.body)
			}
		}
	}
	for name, token := range map[string]string{"of the config file": all, "that expires": valid, "of the token file": inFile, "second of the token file": second} {
		for _, transport := range rpcTransports {
			if got := transport.connect(s, token).request("tools/list", map[string]any{}); got.Error != nil {
				t.Errorf("a token %s, %s: %s", name, transport.name, got.raw)
			}
		}
	}
	for _, route := range []string{"/healthz", "/readyz"} {
		if got := s.do("GET", route, ""); got.status != http.StatusOK {
			t.Errorf("%s without a token: status %d", route, got.status)
		}
	}
	if got := s.do("POST", "/mcp", "", "authorization: bEARER "+all); got.status != http.StatusUnsupportedMediaType {
		t.Errorf("the scheme in other case: status %d", got.status)
	}
}

func TestSessionsBelongToTheirToken(t *testing.T) {
	t.Parallel()
	mine, mineEntry := testToken("mine")
	other, otherEntry := testToken("other") // with the same rights
	s := startHTTP(t, smallVault(t), configFile(t, "tokens:\n"+mineEntry+otherEntry))
	session, stream := s.session(mine), s.eventStream(mine)
	const call = `{"jsonrpc":"2.0","id":"stolen","method":"tools/list"}`
	json := []string{"Content-Type: application/json", "Accept: application/json, text/event-stream"}
	for name, id := range map[string]string{"another's": session.id, "a stream's": strings.TrimPrefix(stream.post, "/messages?sessionId="), "unknown": "unknown"} {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			headers := append(append([]string{"Mcp-Session-Id: " + id}, json...), bearer(other)...)
			if got := s.do(method, "/mcp", call, headers...); got.status != http.StatusNotFound || strings.Contains(got.body, "tools") {
				t.Errorf("%s with the session id %s: status %d, %s", method, name, got.status, got.body)
			}
		}
		path := "/messages?sessionId=" + id
		if got := s.do("POST", path, call, append(json, bearer(other)...)...); got.status != http.StatusNotFound {
			t.Errorf("message with the session id %s: status %d, %s", name, got.status, got.body)
		}
	}
	if got := s.do("POST", "/messages?sessionId="+session.id, call, append(json, bearer(mine)...)...); got.status != http.StatusNotFound {
		t.Errorf("message of the oldest transport to a Streamable HTTP session: status %d", got.status)
	}
	if got := session.request("ping", map[string]any{}); got.Error != nil {
		t.Errorf("another token ended the session: %s", got.raw)
	}
	if got := stream.request("ping", map[string]any{}); got.Error != nil {
		t.Errorf("another token ended the stream: %s", got.raw)
	}
}

// TestStreamsEndWithTheirToken lets a token expire while clients listen. The server ends their streams.
func TestStreamsEndWithTheirToken(t *testing.T) {
	t.Parallel()
	programPath(t) // build the program before the token's time starts
	expires := time.Now().Add(12 * time.Second).Truncate(time.Second)
	token, entry := testToken("short", "expires: "+expires.UTC().Format(time.RFC3339))
	dir := smallVault(t)
	s := startHTTP(t, dir, "VAULT_ID=v", debugLog, configFile(t, "tokens:\n"+entry))
	var callers []*httpCaller
	for _, transport := range rpcTransports {
		c := transport.connect(s, token)
		c.listen("mcp-obsidian://v/Plain.md")
		callers = append(callers, c)
	}
	awaitFollowing(t, s.stderr)
	writeFiles(t, dir, map[string]string{"Plain.md": "changed\n"})
	for _, c := range callers {
		c.awaitNotified("notifications/resources/updated mcp-obsidian://v/Plain.md")
	}
	for i, c := range callers {
		select {
		case <-c.ended:
		case <-time.After(time.Until(expires) + mode.Patience):
			t.Fatalf("%s: the stream goes on after its token has expired", rpcTransports[i].name)
		}
		if time.Now().Before(expires) {
			t.Errorf("%s: the stream ended before its token expired", rpcTransports[i].name)
		}
		select {
		case got := <-c.events:
			t.Errorf("%s: a second message: %s", rpcTransports[i].name, got.raw)
		default:
		}
	}
	if got := s.do("GET", "/sse", "", bearer(token)...); got.status != http.StatusUnauthorized {
		t.Errorf("with an expired token: status %d", got.status)
	}
}

func TestFailedLoginsWait(t *testing.T) {
	t.Parallel()
	right, entry := testToken("right")
	unused, unusedEntry := testToken("unused")
	s := startHTTP(t, smallVault(t), "OBSIDIAN_MCP_FAILED_LOGINS=3", configFile(t, "tokens:\n"+entry+unusedEntry))
	working := s.session(right)
	for i := range 6 {
		got := s.do("POST", "/mcp", "", bearer(fmt.Sprintf("omcp_wrongwrongwrong%d", i))...)
		if i < 3 {
			if got.status != http.StatusUnauthorized {
				t.Errorf("attempt %d: status %d", i, got.status)
			}
			continue
		}
		if seconds, err := strconv.Atoi(got.header.Get("Retry-After")); got.status != http.StatusTooManyRequests || err != nil || seconds < 1 || seconds > 60 {
			t.Errorf("attempt %d: status %d, Retry-After %q", i, got.status, got.header.Get("Retry-After"))
		}
	}
	if got := s.do("POST", "/mcp", "", bearer(unused)...); got.status != http.StatusTooManyRequests {
		t.Errorf("a valid token from an address that has to wait: status %d", got.status)
	}
	if got := s.do("POST", "/mcp", "", append(bearer("omcp_wrongwrongwrong"), "X-Forwarded-For: 203.0.113.7", "Forwarded: for=203.0.113.7")...); got.status != http.StatusTooManyRequests {
		t.Errorf("an address that no trusted proxy has set: status %d", got.status)
	}
	if got := working.request("ping", map[string]any{}); got.Error != nil {
		t.Errorf("a token that has logged in has to wait for others: %s", got.raw)
	}
	if got := s.do("GET", "/healthz", ""); got.status != http.StatusOK {
		t.Errorf("/healthz: status %d", got.status)
	}
}

func TestAccessTokens(t *testing.T) {
	t.Parallel()
	issuer, stranger := newTestIssuer(t), newTestIssuer(t)
	stranger.url = issuer.url
	const resource = "https://notes.example.com/mcp"
	s := startHTTP(t, smallVault(t), "OBSIDIAN_MCP_FAILED_LOGINS=0", "OBSIDIAN_MCP_PUBLIC_URL=https://notes.example.com", "OBSIDIAN_MCP_OAUTH_ISSUER="+issuer.url, "OBSIDIAN_MCP_OAUTH_USERS=ann, bob@example.com")
	right := issuer.token(resource, nil)
	head, signature, _ := strings.Cut(right, ".")
	for name, c := range map[string]struct {
		token  string
		status int
	}{
		"that is valid":          {right, 415},
		"of a verified address":  {issuer.token(resource, map[string]any{"sub": "x", "email": "bob@example.com", "email_verified": true}), 415},
		"for two audiences":      {issuer.token("", map[string]any{"aud": []string{"other", resource}}), 415},
		"that is empty":          {"", 401},
		"that has expired":       {issuer.token(resource, map[string]any{"exp": time.Now().Unix() - 100}), 401},
		"of the future":          {issuer.token(resource, map[string]any{"nbf": time.Now().Unix() + 1000}), 401},
		"without an expiry":      {issuer.token(resource, map[string]any{"exp": nil}), 401},
		"of another audience":    {issuer.token("https://other.example.com/mcp", nil), 401},
		"for our host only":      {issuer.token("https://notes.example.com", nil), 401},
		"without an audience":    {issuer.token("", map[string]any{"aud": nil}), 401},
		"of another issuer":      {issuer.token(resource, map[string]any{"iss": "https://other.example.com"}), 401},
		"of another's key":       {stranger.token(resource, nil), 401},
		"without a signature":    {unsignedJWT(map[string]any{"iss": issuer.url, "sub": "ann", "aud": resource, "exp": time.Now().Unix() + 600, "scope": "notes:read"}), 401},
		"with our key as secret": {issuer.secretToken(resource), 401},
		"with another body":      {head + "." + encoded([]byte(`{"sub":"ann"}`)) + "." + signature[strings.IndexByte(signature, '.')+1:], 401},
		"of an unknown subject":  {issuer.token(resource, map[string]any{"sub": "mallory"}), 403},
		"of an unverified email": {issuer.token(resource, map[string]any{"sub": "x", "email": "bob@example.com"}), 403},
		"without a scope":        {issuer.token(resource, map[string]any{"scope": "openid"}), 403},
	} {
		got := s.do("POST", "/mcp", "", bearer(c.token)...)
		if got.status != c.status {
			t.Errorf("a token %s: status %d, want %d: %s", name, got.status, c.status, got.body)
		}
		challenge := got.header.Get("WWW-Authenticate")
		if names := strings.Contains(challenge, `resource_metadata="https://notes.example.com/.well-known/oauth-protected-resource/mcp"`); names != (c.status == 401 || name == "without a scope") {
			t.Errorf("a token %s: challenge %q", name, challenge)
		}
		if name == "without a scope" && !strings.Contains(challenge, `error="insufficient_scope"`) {
			t.Errorf("challenge %q", challenge)
		}
	}
	s.checkReadingToken(right, issuer.token(resource, map[string]any{"scope": "notes:read"}))
	s.checkMetadata(resource, issuer.url)
}

// checkReadingToken checks that a read-only token of a user who may write cannot write, not even in a session that a
// writing token has started.
func (s *httpServer) checkReadingToken(writes, reads string) {
	s.t.Helper()
	create := map[string]any{"name": "create_note", "arguments": map[string]any{"name": "New", "content": "x"}}
	for _, transport := range rpcTransports {
		if got := transport.connect(s, reads).request("tools/call", create); got.Error == nil || got.Error.Code != -32602 {
			s.t.Errorf("%s: a read-only token writes: %s", transport.name, got.raw)
		}
	}
	body := `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"create_note","arguments":{"name":"New","content":"x"}}}`
	headers := append(bearer(reads), "Content-Type: application/json", "Accept: application/json, text/event-stream")
	begun, stream := s.session(writes), s.eventStream(writes)
	if got := s.do("POST", "/mcp", body, append(headers, "Mcp-Session-Id: "+begun.id)...); got.status != http.StatusNotFound {
		s.t.Errorf("a read-only token in a writing session: status %d, %s", got.status, got.body)
	}
	if got := s.do("POST", stream.post, body, headers...); got.status != http.StatusNotFound {
		s.t.Errorf("a read-only token in a writing stream: status %d, %s", got.status, got.body)
	}
}

// checkMetadata reads the description of the resource that RFC 9728 defines.
func (s *httpServer) checkMetadata(resource, issuer string) {
	s.t.Helper()
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		var metadata struct {
			Resource string
			Servers  []string `json:"authorization_servers"`
			Methods  []string `json:"bearer_methods_supported"`
			Scopes   []string `json:"scopes_supported"`
		}
		got := s.do("GET", path, "")
		if err := json.Unmarshal([]byte(got.body), &metadata); err != nil || got.status != http.StatusOK || got.header.Get("Content-Type") != "application/json" {
			s.t.Errorf("%s: status %d, %s, %v", path, got.status, got.body, err)
		}
		if metadata.Resource != resource || !slices.Equal(metadata.Servers, []string{issuer}) ||
			!slices.Equal(metadata.Methods, []string{"header"}) || !slices.Equal(metadata.Scopes, []string{"notes:read", "notes:write"}) {
			s.t.Errorf("%s: %s", path, got.body)
		}
		if got := s.do("POST", path, ""); got.status != http.StatusMethodNotAllowed {
			s.t.Errorf("POST %s: status %d", path, got.status)
		}
	}
}

// TestFailedLoginsBehindAProxy: failed logins count against the address that a trusted proxy names.
func TestFailedLoginsBehindAProxy(t *testing.T) {
	t.Parallel()
	_, entry := testToken("right")
	s := startHTTP(t, smallVault(t), "OBSIDIAN_MCP_FAILED_LOGINS=2", "OBSIDIAN_MCP_TRUSTED_PROXIES=127.0.0.0/8", configFile(t, "tokens:\n"+entry))
	for i, c := range []struct {
		forwarded string
		status    int
	}{
		{"203.0.113.7", 401}, {"203.0.113.7", 401}, {"203.0.113.7", 429}, {"203.0.113.8", 401},
		{"203.0.113.9, 203.0.113.7", 429}, // addresses that the client has put in front do not count
		{"203.0.113.7, 127.0.0.2", 429},   // two trusted proxies
		{"2001:db8::1", 401}, {"2001:db8::2", 401}, {"2001:db8::3", 429}, {"2001:db8:0:1::1", 401},
	} {
		if got := s.do("POST", "/mcp", "", append(bearer("omcp_wrongwrongwrong"), "X-Forwarded-For: "+c.forwarded)...); got.status != c.status {
			t.Errorf("attempt %d, from %s: status %d, want %d", i, c.forwarded, got.status, c.status)
		}
	}
}

// TestImpossibleLoginsAreRefused: settings with which nobody could log in are refused at the start.
func TestImpossibleLoginsAreRefused(t *testing.T) {
	t.Parallel()
	const issuer = "OBSIDIAN_MCP_OAUTH_ISSUER=https://login.example.com"
	for reason, settings := range map[string][]string{
		"OAuth needs OBSIDIAN_MCP_PUBLIC_URL": {issuer, "OBSIDIAN_MCP_OAUTH_USERS=*"},
		"OBSIDIAN_MCP_OAUTH_USERS not set":    {issuer, "OBSIDIAN_MCP_PUBLIC_URL=https://notes.example.com"},
		"must begin with https://":            {"OBSIDIAN_MCP_OAUTH_ISSUER=http://login.example.com", "OBSIDIAN_MCP_PUBLIC_URL=https://notes.example.com", "OBSIDIAN_MCP_OAUTH_USERS=*"},
		"unknown toolset 'nope'":              {configFile(t, "tokens:\n  - name: a\n    sha256: "+strings.Repeat("0a", 32)+"\n    toolsets: [nope]\n")},
		"unknown setting 'readonly'":          {configFile(t, "tokens:\n  - name: a\n    sha256: "+strings.Repeat("0a", 32)+"\n    readonly: true\n")},
		"is not a folder, file or glob":       {configFile(t, "tokens:\n  - name: a\n    sha256: "+strings.Repeat("0a", 32)+"\n    allow: ['../x']\n")},
		"contain no tools":                    {"OBSIDIAN_MCP_TOOLSETS=notes", configFile(t, "tokens:\n  - name: a\n    sha256: "+strings.Repeat("0a", 32)+"\n    toolsets: [find]\n")},
		"'soon' must be a day":                {configFile(t, "tokens:\n  - name: a\n    sha256: "+strings.Repeat("0a", 32)+"\n    expires: soon\n")},
		"have the same sha256":                {configFile(t, "tokens:\n  - name: a\n    sha256: "+strings.Repeat("0a", 32)+"\n  - name: b\n    sha256: "+strings.Repeat("0A", 32)+"\n")},
		"is neither an address nor a network": {"OBSIDIAN_MCP_TRUSTED_PROXIES=proxy"},
		"a token needs name and sha256":       {configFile(t, "tokens:\n  - name: a\n")},
	} {
		checkStartRefused(t, reason, settings...)
	}
}

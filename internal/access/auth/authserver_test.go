package auth_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/testkit/mode"
)

// authServer is a real authorization server: oidc-provider, from npm.
type authServer struct {
	issuer string
	input  io.Writer
	output *bufio.Scanner
}

// startAuthServer installs the server if need be, and runs it until the test ends. The installer locks: several packages
// may install at once.
func startAuthServer(t *testing.T) *authServer {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Node.js and an authorization server from npm")
	}
	ctx, cancel := context.WithTimeout(t.Context(), mode.Patience)
	defer cancel()
	node, err := exec.CommandContext(ctx, "../../../tools/node22").Output()
	if err != nil {
		skipOrFail(t, fmt.Errorf("tools/node22: %w", err))
	}
	if output, err := exec.CommandContext(ctx, "../../../tools/authserver/install").CombinedOutput(); err != nil {
		skipOrFail(t, fmt.Errorf("tools/authserver/install: %w\n%s", err, output))
	}
	command := exec.Command(strings.TrimSpace(string(node)), "../../../tools/authserver/server.mjs")
	command.WaitDelay = 10 * time.Second
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close() // which ends the server
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
	server := &authServer{input: input, output: bufio.NewScanner(output)}
	server.issuer = server.line(t)
	return server
}

// skipOrFail skips a test for which a machine lacks something; CI has everything.
func skipOrFail(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func (s *authServer) line(t *testing.T) string {
	t.Helper()
	if !s.output.Scan() {
		t.Fatal("the authorization server has ended")
	}
	return s.output.Text()
}

// sign makes the server sign with a new key.
func (s *authServer) sign(t *testing.T, algorithm string) {
	t.Helper()
	if _, err := fmt.Fprintln(s.input, "sign", algorithm); err != nil {
		t.Fatal(err)
	}
	s.line(t)
}

// token asks for the access token that a form describes.
func (s *authServer) token(t *testing.T, form url.Values) string {
	t.Helper()
	response, err := http.PostForm(s.issuer+"/token", form)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var reply struct {
		Token string `json:"access_token"`
		About string `json:"error_description"`
	}
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil || reply.Token == "" {
		t.Fatalf("no token: %s %s %v", response.Status, reply.About, err)
	}
	return reply.Token
}

// robot returns a token for a program.
func (s *authServer) robot(t *testing.T, client, resource, scope string) string {
	t.Helper()
	return s.token(t, url.Values{
		"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {"of no importance"},
		"resource": {resource}, "scope": {scope},
	})
}

// person logs a user in, as a browser would, and exchanges the code.
func (s *authServer) person(t *testing.T, login, scope string) string {
	t.Helper()
	const verifier, back = "a-verifier-that-is-long-enough-for-the-rules-of-PKCE", "http://127.0.0.1/back"
	challenge := sha256.Sum256([]byte(verifier))
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var code string
	browser := &http.Client{Jar: jar, CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		if code = next.URL.Query().Get("code"); code != "" {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	page, err := browser.Get(s.issuer + "/auth?" + url.Values{
		"client_id": {"app"}, "response_type": {"code"}, "redirect_uri": {back}, "scope": {scope}, "resource": {resource},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}.Encode())
	for _, prompt := range []string{"login", "consent"} {
		if err == nil {
			page.Body.Close()
			page, err = browser.PostForm(page.Request.URL.String(), url.Values{"prompt": {prompt}, "login": {login}, "password": {"any"}})
		}
	}
	if err != nil || code == "" {
		t.Fatalf("no code: %v", err)
	}
	page.Body.Close()
	return s.token(t, url.Values{"grant_type": {"authorization_code"}, "client_id": {"app"}, "code": {code}, "redirect_uri": {back}, "code_verifier": {verifier}})
}

func TestAuthorizationServer(t *testing.T) {
	server := startAuthServer(t)
	now := &clock{time.Now()}
	oauth := &auth.OAuth{Issuer: server.issuer, Resource: resource, RequireScopes: true, Users: []auth.User{
		{Subject: "robot"}, {Subject: "hasty"}, {Email: "ada@example.com", Grant: auth.Grant{Toolsets: []string{"find"}}},
	}}
	g := newGuarded(t, auth.Options{OAuth: oauth, Now: now.now})

	t.Run("a program", func(t *testing.T) {
		got := g.bearer(t, server.robot(t, "robot", resource, "notes:read notes:write"))
		got.expect(t, 200, "")
		if got.who.ID != "oauth "+server.issuer+" robot" || !got.who.Grant.Unlimited() {
			t.Errorf("%+v", got.who)
		}
	})
	t.Run("read-only", func(t *testing.T) {
		got := g.bearer(t, server.robot(t, "robot", resource, "notes:read"))
		got.expect(t, 200, "")
		if !got.who.Grant.ReadOnly {
			t.Error("the caller may write")
		}
	})
	t.Run("without a scope", func(t *testing.T) {
		g.bearer(t, server.robot(t, "robot", resource, "")).expect(t, 403, "insufficient_scope")
	})
	t.Run("for another resource", func(t *testing.T) {
		got := g.bearer(t, server.robot(t, "robot", "https://other.example/mcp", "notes:read"))
		got.expect(t, 401, "invalid_token")
		if got.About != "the token was not issued for this server" {
			t.Error(got.About)
		}
	})
	t.Run("a person", func(t *testing.T) {
		got := g.bearer(t, server.person(t, "ada", "openid notes:read notes:write"))
		got.expect(t, 200, "")
		if got.who.Name != "Ada@example.com" || got.who.ID != "oauth "+server.issuer+" ada" || len(got.who.Grant.Toolsets) != 1 {
			t.Errorf("%+v", got.who)
		}
	})
	t.Run("a person without a verified email", func(t *testing.T) {
		g.bearer(t, server.person(t, "mallory", "openid notes:read")).expect(t, 403, "access_denied")
	})
	t.Run("expired", func(t *testing.T) {
		token := server.robot(t, "hasty", resource, "notes:read")
		g.bearer(t, token).expect(t, 200, "")
		now.advance(time.Since(now.now()) + 3*time.Second + time.Minute) // the server has the real clock
		got := g.bearer(t, token)
		got.expect(t, 401, "invalid_token")
		if got.About != "the token has expired" {
			t.Error(got.About)
		}
	})
	for _, algorithm := range []string{"ES256", "PS256", "EdDSA", "ES512", "RS512"} {
		t.Run("a new key for "+algorithm, func(t *testing.T) {
			old := server.robot(t, "robot", resource, "notes:read")
			server.sign(t, algorithm)
			fresh := server.robot(t, "robot", resource, "notes:read")
			now.advance(10 * time.Second) // since the keys were fetched last
			g.bearer(t, fresh).expect(t, 200, "")
			g.bearer(t, old).expect(t, 401, "invalid_token")
		})
	}
}

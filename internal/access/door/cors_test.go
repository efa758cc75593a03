package door

import (
	"net/http"
	"strings"
	"testing"
)

func TestPreflightOfANamedOrigin(t *testing.T) {
	server := serve(t, Options{Origins: []string{"https://claude.ai"}}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isPreflight(r) {
			t.Error("the handler has to answer a preflight")
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	answer, _ := server.raw(t, "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://claude.ai\r\nAccess-Control-Request-Method: POST\r\n"+
		"Access-Control-Request-Headers: authorization,Content-Type, Mcp-Param-Region\r\nAccess-Control-Request-Headers: x-evil, cookie, mcp-param-, mcp-param-a b, mcp-session-id\r\n\r\n")
	if answer.StatusCode != 204 {
		t.Fatalf("status %d", answer.StatusCode)
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":      "https://claude.ai",
		"Access-Control-Allow-Methods":     "GET, POST, DELETE",
		"Access-Control-Allow-Headers":     "authorization, content-type, mcp-param-region, mcp-session-id",
		"Access-Control-Allow-Credentials": "",
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if vary := strings.Join(answer.Header.Values("Vary"), ", "); !strings.Contains(vary, "Origin") || !strings.Contains(vary, "Access-Control-Request-Headers") {
		t.Errorf("Vary is %q", vary)
	}
}

func TestAnswersToAllowedOrigin(t *testing.T) {
	server := serve(t, Options{Origins: []string{"https://claude.ai", "app://obsidian.md"}}, ok)
	for from, want := range map[string]string{"https://claude.ai": "https://claude.ai", "app://obsidian.md": "app://obsidian.md", "": "", "https://evil.example": "", "http://localhost": ""} {
		request := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
		if from != "" {
			request += "Origin: " + from + "\r\n"
		}
		answer, _ := server.raw(t, request+"\r\n")
		if got := answer.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("Origin %q is answered with %q", from, got)
		}
		if exposed := answer.Header.Get("Access-Control-Expose-Headers"); (exposed == "Mcp-Session-Id, WWW-Authenticate") != (want != "") {
			t.Errorf("Origin %q may see %q", from, exposed)
		}
		if vary := answer.Header.Get("Vary"); vary != "Origin" {
			t.Errorf("Origin %q: Vary is %q", from, vary)
		}
		if answer.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("Origin %q may send cookies", from)
		}
	}
}

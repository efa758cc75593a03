package auth_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"obsidian-mcp/internal/access/auth"
)

// WrapFor tells a surface for people why a caller is refused, and lets it answer; it admits the same callers as Wrap.
func TestWrapFor(t *testing.T) {
	text, _ := auth.NewToken()
	digest, err := auth.HashToken(text)
	if err != nil {
		t.Fatal(err)
	}
	guard, err := auth.New(auth.Options{Tokens: []auth.Token{{Name: "phone", SHA256: digest}}, FailedLogins: 2})
	if err != nil {
		t.Fatal(err)
	}
	var who *auth.Principal
	var why auth.Refused
	handler := guard.WrapFor(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if who = auth.Of(r.Context()); r.Header.Get("Authorization") != "" {
			t.Error("the handler sees the token")
		}
	}), func(w http.ResponseWriter, _ *http.Request, refused auth.Refused) {
		why = refused
		w.WriteHeader(http.StatusTeapot)
	})
	ask := func(authorization string) int {
		who, why = nil, auth.Refused{}
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		if authorization != "" {
			request.Header.Set("Authorization", authorization)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		return answer.Code
	}
	if status := ask(""); status != http.StatusTeapot || why.Status != http.StatusUnauthorized || who != nil {
		t.Errorf("without a token: %d %+v", status, why)
	}
	if status := ask("Bearer " + text); status != http.StatusOK || who == nil || who.Name != "phone" {
		t.Errorf("with a token: %d %+v", status, who)
	}
	for range 2 {
		if ask("Bearer wrong"); why.Status != http.StatusUnauthorized || why.About == "" {
			t.Errorf("with a wrong token: %+v", why)
		}
	}
	if ask("Bearer wrong"); why.Status != http.StatusTooManyRequests || why.Wait <= 0 || why.Wait > time.Minute {
		t.Errorf("after too many failures: %+v", why)
	}
}

package auth_test

import (
	"errors"
	"strings"
	"testing"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/fault"
)

// Clients are sent to these endpoints with their tokens.
func TestOtherEndpointsAreHTTPS(t *testing.T) {
	for address, want := range map[string]string{
		"https://notes.example/sse": "", "http://127.0.0.1:8000/sse": "",
		"http://notes.example/sse": "must begin with https://", "": "must begin with https://", "javascript:alert(1)": "must begin with https://", "https://a b": "is not a URL",
	} {
		_, err := auth.New(auth.Options{OAuth: &auth.OAuth{
			Issuer: issuerURL, Resource: resource, Users: []auth.User{{Subject: "1"}},
			Others: []auth.Endpoint{{Paths: []string{"/sse"}, Resource: address}},
		}})
		if want == "" && err != nil || want != "" && (!errors.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", address, err, want)
		}
	}
}

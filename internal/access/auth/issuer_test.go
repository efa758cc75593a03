package auth_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"obsidian-mcp/internal/access/auth"
)

const (
	issuerURL = "https://login.example"
	resource  = "https://notes.example/mcp"
)

// Keys are shared by all tests because they take a while to make.
var (
	rsaKey, otherRSA, weakRSA = makeRSA(2048), makeRSA(2048), makeRSA(1024)
	p256, p384, p521          = makeEC(elliptic.P256()), makeEC(elliptic.P384()), makeEC(elliptic.P521())
	_, edKey, _               = ed25519.GenerateKey(rand.Reader)
)

func makeRSA(bits int) *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	return key
}

func makeEC(curve elliptic.Curve) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
}

// fakeIssuer is an authorization server that can be made to misbehave. It is its own transport: no other server exists.
type fakeIssuer struct {
	issuer string // as in its metadata

	mu       sync.Mutex // guards what follows
	keys     []any      // as published
	metadata map[string]any
	replies  map[string]func(*http.Request) (*http.Response, error) // by URL, instead of what is published
	asked    map[string]int
	down     bool
}

func newFakeIssuer() *fakeIssuer {
	f := &fakeIssuer{
		issuer:   issuerURL,
		metadata: map[string]any{"issuer": issuerURL, "jwks_uri": issuerURL + "/jwks"},
		replies:  map[string]func(*http.Request) (*http.Response, error){},
		asked:    map[string]int{},
	}
	f.publish("one", rsaKey.Public())
	return f
}

// publish makes a key the only published one.
func (f *fakeIssuer) publish(id string, key crypto.PublicKey) {
	f.keys = []any{jose.JSONWebKey{Key: key, KeyID: id}}
}

// oauth returns settings that admit everyone.
func (f *fakeIssuer) oauth() *auth.OAuth {
	return &auth.OAuth{Issuer: f.issuer, Resource: resource, Users: []auth.User{{Subject: "*"}}, HTTP: &http.Client{Transport: f}}
}

// RoundTrip answers a request to the issuer.
func (f *fakeIssuer) RoundTrip(r *http.Request) (*http.Response, error) {
	address := r.URL.String()
	f.mu.Lock()
	f.asked[address]++
	reply, down := f.replies[address], f.down
	f.mu.Unlock()
	switch {
	case down:
		return nil, errors.New("connection refused")
	case reply != nil:
		return reply(r)
	case address == issuerURL+"/.well-known/oauth-authorization-server":
		return document(f.metadata), nil
	case address == issuerURL+"/jwks":
		f.mu.Lock()
		defer f.mu.Unlock()
		return document(map[string]any{"keys": f.keys}), nil
	}
	return status(http.StatusNotFound), nil
}

// fetches returns how often keys were requested.
func (f *fakeIssuer) fetches() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[issuerURL+"/jwks"]
}

func document(content any) *http.Response {
	text, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return text200(string(text))
}

func text200(content string) *http.Response {
	response := status(http.StatusOK)
	response.Body = io.NopCloser(strings.NewReader(content))
	return response
}

func status(code int) *http.Response {
	return &http.Response{StatusCode: code, Header: http.Header{}, Body: http.NoBody}
}

func redirect(to string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		response := status(http.StatusFound)
		response.Header.Set("Location", to)
		return response, nil
	}
}

// claims returns the claims of a token that is valid at noon, with changes: nil removes a claim.
func claims(changes map[string]any) map[string]any {
	all := map[string]any{
		"iss": issuerURL, "sub": "user-7", "aud": resource,
		"iat": noon.Unix() - 10, "exp": noon.Unix() + 600, "jti": "canary-of-the-payload",
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

// sign makes a token. Its header holds alg and what is given.
func sign(t testing.TB, key any, alg jose.SignatureAlgorithm, header map[string]any, claims any) string {
	t.Helper()
	options := &jose.SignerOptions{}
	for name, value := range header {
		options.WithHeader(jose.HeaderKey(name), value)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	payload, ok := claims.([]byte)
	if !ok {
		if payload, err = json.Marshal(claims); err != nil {
			t.Fatal(err)
		}
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return compact
}

// access makes a token with the key that a fake issuer publishes at first.
func access(t testing.TB, changes map[string]any) string {
	t.Helper()
	return sign(t, rsaKey, jose.RS256, map[string]any{"kid": "one", "typ": "at+jwt"}, claims(changes))
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte("1"), len(p)))
	return len(p), nil
}
func (endless) Close() error { return nil }

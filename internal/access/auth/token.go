package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
)

// Token is a bearer token of the config file, which holds only its digest.
type Token struct {
	Name    string // unique
	SHA256  Digest
	Grant   Grant
	Expires time.Time // zero: never
}

// Digest is the SHA-256 of a token. It is never printed: the digest of a weak token is enough to guess the token.
type Digest [sha256.Size]byte

// String hides the digest.
func (Digest) String() string { return "[redacted]" }

// GoString hides the digest.
func (d Digest) GoString() string { return d.String() }

// MarshalText hides the digest.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// LogValue hides the digest.
func (d Digest) LogValue() slog.Value { return slog.StringValue(d.String()) }

// tokenPrefix makes a token recognisable to people and to programs that look for leaked secrets.
const tokenPrefix = "omcp_"

// weakBelow is the length below which a token can be guessed.
const weakBelow = 16

// IsWeak reports whether a token is short enough to be guessed.
func IsWeak(token string) bool { return len(token) < weakBelow }

// NewToken makes a token of 130 random bits, and the hash for the config file.
func NewToken() (token, hash string) {
	token = tokenPrefix + rand.Text()
	digest := sha256.Sum256([]byte(token))
	return token, hex.EncodeToString(digest[:])
}

// ParseHash reads a hash that NewToken made. Its errors do not repeat the text, which may be the token itself in the wrong
// place.
func ParseHash(hash string) (Digest, error) {
	var digest Digest
	raw, err := hex.DecodeString(hash)
	if err != nil || len(raw) != len(digest) {
		return digest, fault.InvalidArgument.Errorf("a token's sha256 must be 64 hexadecimal digits").
			WithHint("`obsidian-mcp token new` makes a token and its hash")
	}
	return Digest(raw), nil
}

// HashToken returns the digest of a token that is given itself, as in OBSIDIAN_MCP_TOKEN. It refuses a token that a header
// cannot carry.
func HashToken(token string) (Digest, error) {
	if len(token) > maxTokenLength || !isToken68(token) {
		return Digest{}, fault.InvalidArgument.Errorf("the token may contain only letters, digits and -._~+/, and = at its end").
			WithHint("`obsidian-mcp token new` makes one")
	}
	return sha256.Sum256([]byte(token)), nil
}

// checkTokens refuses tokens that cannot be told apart.
func checkTokens(tokens []Token) error {
	names, digests := map[string]bool{}, map[Digest]string{}
	for _, token := range tokens {
		other, twice := digests[token.SHA256]
		switch {
		case strings.TrimSpace(token.Name) == "":
			return fault.InvalidArgument.Errorf("a token has no name")
		case names[token.Name]:
			return fault.InvalidArgument.Errorf("two tokens are named '%s'", token.Name)
		case token.SHA256 == Digest{}:
			return fault.InvalidArgument.Errorf("the token '%s' has no sha256", token.Name)
		case twice:
			return fault.InvalidArgument.Errorf("the tokens '%s' and '%s' have the same sha256", other, token.Name)
		}
		names[token.Name], digests[token.SHA256] = true, token.Name
	}
	return nil
}

// findToken returns the token that was presented, or nil. It always compares with all tokens, so that its time reveals
// nothing.
func findToken(tokens []Token, presented string) *Token {
	digest := sha256.Sum256([]byte(presented))
	found := -1
	for i := range tokens {
		equal := subtle.ConstantTimeCompare(digest[:], tokens[i].SHA256[:])
		found = subtle.ConstantTimeSelect(equal, i, found)
	}
	if found < 0 {
		return nil
	}
	return &tokens[found]
}

// principal returns the owner of a token, unless it has expired.
func (t *Token) principal(now time.Time) (*Principal, *refusal) {
	if !t.Expires.IsZero() && !now.Before(t.Expires) {
		return nil, expired(t.Name)
	}
	return &Principal{ID: "token " + t.Name, Name: t.Name, Grant: t.Grant, Until: t.Expires}, nil
}

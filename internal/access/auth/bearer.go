package auth

import (
	"net/http"
	"strings"
)

// maxTokenLength is longer than any issuer's tokens, and shorter than the limit for a header.
const maxTokenLength = 16 << 10

// bearerToken returns the token of a request as RFC 6750 says: from the only Authorization header and from nowhere else.
// It returns "" if the request has no token.
func bearerToken(r *http.Request) (string, *refusal) {
	if r.URL.RawQuery != "" && r.URL.Query().Has("access_token") {
		return "", inQuery
	}
	headers := r.Header.Values("Authorization")
	switch len(headers) {
	case 0:
		return "", nil
	case 1:
		return parseBearer(headers[0])
	default:
		return "", severalHeaders
	}
}

// parseBearer reads the value of an Authorization header.
func parseBearer(header string) (string, *refusal) {
	scheme, token, _ := strings.Cut(header, " ")
	if !asciiEqualFold(scheme, "Bearer") {
		return "", otherScheme
	}
	token = strings.Trim(token, " ")
	if len(token) > maxTokenLength || !isToken68(token) {
		return "", malformedHeader
	}
	return token, nil
}

// isToken68 reports whether s is what RFC 6750 calls b64token.
func isToken68(s string) bool {
	body := strings.TrimRight(s, "=")
	for _, c := range []byte(body) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("-._~+/", rune(c)) {
			return false
		}
	}
	return body != ""
}

// asciiEqualFold compares ignoring the case of ASCII letters. strings.EqualFold would take a Kelvin sign for a K.
func asciiEqualFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if asciiLower(a[i]) != asciiLower(b[i]) {
			return false
		}
	}
	return true
}

func asciiLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

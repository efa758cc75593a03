package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// algorithms are the accepted signatures: those whose key only the issuer has. "none" proves nothing, and HS256 would take
// a public key for a secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512,
	jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512,
	jose.EdDSA,
}

// minRSABits is the minimum that RFC 7518 allows.
const minRSABits = 2048

// verify checks an access token: its form, its signature by a key of the issuer, and its claims. It ignores keys that the
// token itself contains or points to.
func (i *issuer) verify(ctx context.Context, token string) (*claims, *refusal) {
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil, invalid("the token is not a JWT with an accepted kind of signature")
	}
	header := signed.Signatures[0].Protected
	if !acceptable(header) {
		return nil, invalid("the token's header is not that of an access token")
	}
	keys, refused := i.keys.find(ctx, header.KeyID)
	if refused != nil {
		return nil, refused
	}
	for _, key := range keys {
		if !fits(key, jose.SignatureAlgorithm(header.Algorithm)) {
			continue
		}
		if payload, err := signed.Verify(key.Key); err == nil {
			return i.readClaims(payload)
		}
	}
	return nil, invalid("the token was not signed by the issuer")
}

// acceptable reports whether a header is that of an access token, without extensions that we would have to understand.
func acceptable(header jose.Header) bool {
	for _, extension := range []jose.HeaderKey{"crit", "b64"} {
		if _, has := header.ExtraHeaders[extension]; has {
			return false
		}
	}
	kind, has := header.ExtraHeaders[jose.HeaderType]
	if !has {
		return header.KeyID != ""
	}
	text, _ := kind.(string)
	text = strings.TrimPrefix(strings.ToLower(text), "application/")
	return header.KeyID != "" && (text == "jwt" || text == "at+jwt")
}

// fits reports whether a published key is meant for an algorithm. A key that was published with its private part never
// fits: everybody has it.
func fits(key jose.JSONWebKey, algorithm jose.SignatureAlgorithm) bool {
	if key.Algorithm != "" && key.Algorithm != string(algorithm) {
		return false
	}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		family := algorithm[:2]
		return (family == "RS" || family == "PS") && public.N.BitLen() >= minRSABits
	case *ecdsa.PublicKey:
		return public.Curve == curves[algorithm]
	}
	_, edwards := key.Key.(ed25519.PublicKey)
	return edwards && algorithm == jose.EdDSA
}

var curves = map[jose.SignatureAlgorithm]elliptic.Curve{
	jose.ES256: elliptic.P256(),
	jose.ES384: elliptic.P384(),
	jose.ES512: elliptic.P521(),
}

package format

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// form is one way in which the plugin has written an encrypted text.
type form uint8

const (
	formNone      form = iota
	formHKDF           // "%=": today's, with the database's salt
	formEphemeral      // "%$": the same with a salt of its own, for settings
	formBeta           // "%~": never a default
	formV1             // "%": before 0.25
	formJSON           // "[": the oldest
)

// envelope is an encrypted text taken apart.
type envelope struct {
	form     form
	nonce    []byte
	salt     []byte // from which a key is derived, where the text carries it
	hkdfSalt []byte
	body     []byte // with the tag
}

const (
	hkdfNonceSize = 12
	v1NonceSize   = 16
	v1SaltSize    = 16
	saltSize      = 32
	tagSize       = 16
)

// parseEnvelope takes an encrypted text apart, and reports whether it is
// complete: that a text begins like one is no proof.
func parseEnvelope(text string) (envelope, bool) {
	switch {
	case strings.HasPrefix(text, "%="):
		return parseHKDF(text[2:], 0)
	case strings.HasPrefix(text, "%$"):
		return parseHKDF(text[2:], saltSize)
	case strings.HasPrefix(text, "%~"):
		return parseBeta(text[2:])
	case strings.HasPrefix(text, "%"):
		return parseV1(text[1:])
	case strings.HasPrefix(text, "["):
		return parseJSONForm(text)
	}
	return envelope{}, false
}

func parseHKDF(text string, ownSalt int) (envelope, bool) {
	all, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(all) < ownSalt+hkdfNonceSize+saltSize+tagSize {
		return envelope{}, false
	}
	made := envelope{form: formHKDF}
	if ownSalt > 0 {
		made.form, made.salt, all = formEphemeral, all[:ownSalt], all[ownSalt:]
	}
	made.nonce, all = all[:hkdfNonceSize], all[hkdfNonceSize:]
	made.hkdfSalt, made.body = all[:saltSize], all[saltSize:]
	return made, true
}

func parseBeta(text string) (envelope, bool) {
	if len(text) < 2*hkdfNonceSize {
		return envelope{}, false
	}
	return assemble(formBeta, text[:2*hkdfNonceSize], "", text[2*hkdfNonceSize:])
}

func parseV1(text string) (envelope, bool) {
	const nonceEnd, header = 2 * v1NonceSize, 2*v1NonceSize + 2*v1SaltSize
	if len(text) < header {
		return envelope{}, false
	}
	return assemble(formV1, text[:nonceEnd], text[nonceEnd:header], text[header:])
}

func parseJSONForm(text string) (envelope, bool) {
	var parts []string
	if json.Unmarshal([]byte(text), &parts) != nil || len(parts) != 3 || len(parts[1]) != 2*v1NonceSize || len(parts[2]) != 2*v1SaltSize {
		return envelope{}, false
	}
	return assemble(formJSON, parts[1], parts[2], parts[0])
}

// assemble decodes the parts; the body is base64, or, of release 0.20, bytes
// as characters.
func assemble(kind form, nonceHex, saltHex, body string) (envelope, bool) {
	made := envelope{form: kind}
	var nonceErr, saltErr, bodyErr error
	made.nonce, nonceErr = hex.DecodeString(nonceHex)
	made.salt, saltErr = hex.DecodeString(saltHex)
	if mapped, ok := strings.CutPrefix(body, "%"); ok && kind == formV1 {
		made.body, bodyErr = appendMapped(nil, mapped)
	} else {
		made.body, bodyErr = base64.StdEncoding.DecodeString(body)
	}
	return made, nonceErr == nil && saltErr == nil && bodyErr == nil && len(made.body) >= tagSize
}

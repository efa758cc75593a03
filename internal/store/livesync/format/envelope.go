package format

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// form is one of the forms in which releases of the plugin have written an encrypted text.
type form uint8

const (
	formNone      form = iota
	formHKDF           // "%=": the current form, with the database's salt
	formEphemeral      // "%$": the same with its own salt, for settings
	formBeta           // "%~": never the default
	formV1             // "%": before 0.25
	formJSON           // "[": the oldest
)

// envelope is a parsed encrypted text.
type envelope struct {
	form     form
	nonce    []byte
	salt     []byte // for deriving the key, if the text carries one
	hkdfSalt []byte
	body     []byte // ciphertext and tag
}

const (
	hkdfNonceSize = 12
	v1NonceSize   = 16
	v1SaltSize    = 16
	saltSize      = 32
	tagSize       = 16
)

// parseEnvelope parses an encrypted text, and reports whether it is complete: ordinary text may start the same way.
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
	sealed := envelope{form: formHKDF}
	if ownSalt > 0 {
		sealed.form, sealed.salt, all = formEphemeral, all[:ownSalt], all[ownSalt:]
	}
	sealed.nonce, all = all[:hkdfNonceSize], all[hkdfNonceSize:]
	sealed.hkdfSalt, sealed.body = all[:saltSize], all[saltSize:]
	return sealed, true
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

// assemble decodes the parts. The body is base64, or, as release 0.20 wrote it, bytes mapped to characters.
func assemble(kind form, nonceHex, saltHex, body string) (envelope, bool) {
	sealed := envelope{form: kind}
	var nonceErr, saltErr, bodyErr error
	sealed.nonce, nonceErr = hex.DecodeString(nonceHex)
	sealed.salt, saltErr = hex.DecodeString(saltHex)
	if mapped, ok := strings.CutPrefix(body, "%"); ok && kind == formV1 {
		sealed.body, bodyErr = appendMapped(nil, mapped)
	} else {
		sealed.body, bodyErr = base64.StdEncoding.DecodeString(body)
	}
	return sealed, nonceErr == nil && saltErr == nil && bodyErr == nil && len(sealed.body) >= tagSize
}

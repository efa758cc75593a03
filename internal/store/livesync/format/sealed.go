package format

import "strings"

// Sealed reports whether reading a document needs the passphrase: a chunk with encrypted data, or a file whose path is
// encrypted.
func Sealed(raw []byte) bool {
	from, err := parseFields(raw)
	if err != nil {
		return false
	}
	var id, path, data string
	var marked bool
	for key, into := range map[string]any{"_id": &id, "path": &path, "data": &data, "e_": &marked} {
		if from.read(key, into) != nil {
			return false
		}
	}
	if strings.HasPrefix(id, chunkPrefix) {
		_, complete := parseEnvelope(data)
		return marked || complete && strings.HasPrefix(id, sealedPrefix)
	}
	_, complete := parseEnvelope(path)
	return strings.HasPrefix(path, sealedMeta) || complete && strings.HasPrefix(id, obfuscated)
}

// SealedSettings reports whether a text begins like encrypted settings, and whether it is complete. A Cipher without a
// salt opens it.
func SealedSettings(text string) (known, complete bool) {
	switch {
	case strings.HasPrefix(text, "%$"), strings.HasPrefix(text, "%~"), strings.HasPrefix(text, "["):
		known = true
	case len(text) > 1 && text[0] == '%':
		known = strings.ContainsRune("0123456789abcdef", rune(text[1])) // V1 begins with a nonce
	}
	_, complete = parseEnvelope(text)
	return known, known && complete
}

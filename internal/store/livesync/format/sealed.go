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

package format

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/text/unicode/norm"

	"obsidian-mcp/internal/fault"
)

// IDRule says how a database derives a document's id from a path.
type IDRule struct {
	// CaseSensitive keeps the case of letters; otherwise ids are lower-cased.
	CaseSensitive bool
	// Obfuscation is the passphrase of a database that hashes its paths; "" if it does not.
	Obfuscation Passphrase
}

// ID returns the id of the document for a path, which may have a prefix such as that of hidden files.
func (r IDRule) ID(path string) string {
	if strings.HasPrefix(path, obfuscated) {
		return path
	}
	name := oneSlash(path)
	if !r.CaseSensitive {
		name = lower(name)
	}
	if r.Obfuscation != "" {
		prefix, _, found := strings.Cut(name, ":")
		if found {
			prefix += ":"
		} else {
			prefix = ""
		}
		return prefix + obfuscated + hexHash(hexHash(string(r.Obfuscation))+":"+name)
	}
	if strings.HasPrefix(name, "_") {
		return "/" + name // CouchDB reserves ids that start with an underscore
	}
	return name
}

// Check returns an error if id is not the id of path: devices ignore such a document, so it must not be written.
func (r IDRule) Check(id, path string) error {
	if id == r.ID(path) || id == r.ID(norm.NFC.String(path)) {
		return nil
	}
	if hidden, ok := strings.CutPrefix(path, hiddenPrefix); ok && id == hiddenPrefix+r.ID(hidden) {
		return nil // one part of the plugin makes such ids
	}
	return fault.PermissionDenied.Errorf("the id of the document of %q does not match its path", path).
		WithHint("devices ignore the document; rename the file on a device, or check the passphrase and the settings for case sensitivity and path obfuscation")
}

// PathOf returns the path that an id stands for, for documents that do not contain it. The case of letters may be
// lost, and an obfuscated id reveals nothing.
func PathOf(id string) (string, error) {
	prefix, body, found := strings.Cut(id, ":")
	if found {
		prefix += ":"
	} else {
		prefix, body = "", id
	}
	if prefix == obfuscated || strings.HasPrefix(body, obfuscated) {
		return "", damaged("the document %q has an obfuscated id and no path", id)
	}
	return prefix + strings.TrimPrefix(body, "/"), nil
}

// NormalPath returns a path as it must be written: NFC, single slashes, none at either end, ordinary spaces instead
// of no-break spaces.
func NormalPath(path string) string {
	path = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(path)
	return norm.NFC.String(strings.Trim(oneSlash(path), "/"))
}

// oneSlash turns the separators after the last colon into single slashes.
func oneSlash(path string) string {
	at := strings.LastIndexByte(path, ':') + 1
	body := strings.ReplaceAll(path[at:], `\`, "/")
	for strings.Contains(body, "//") {
		body = strings.ReplaceAll(body, "//", "/")
	}
	return path[:at] + body
}

func hexHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

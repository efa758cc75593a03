package format

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/text/unicode/norm"

	"obsidian-mcp/internal/fault"
)

// IDRule is how a database makes a document's id of a path.
type IDRule struct {
	// CaseSensitive keeps the case of letters; else ids are lower-cased.
	CaseSensitive bool
	// Obfuscation hides paths behind a hash that needs this passphrase; ""
	// shows them.
	Obfuscation Passphrase
}

// ID is the id of the document for a path, which may have a prefix such as
// that of hidden files.
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
		return "/" + name // CouchDB keeps a leading underscore for itself
	}
	return name
}

// Check refuses a document whose id is not that of its path: devices ignore
// such a document, so it must not be written to.
func (r IDRule) Check(id, path string) error {
	if id == r.ID(path) || id == r.ID(norm.NFC.String(path)) {
		return nil
	}
	if hidden, ok := strings.CutPrefix(path, hiddenPrefix); ok && id == hiddenPrefix+r.ID(hidden) {
		return nil // as one part of the plugin makes them
	}
	return fault.PermissionDenied.Errorf("the document of %q has another id than its path asks for", path).
		WithHint("devices ignore it; rename the file on a device, or check that the settings about letter case and path obfuscation, and the passphrase, are the database's")
}

// PathOf is the path that an id stands for, for documents that do not say it.
// The case of letters may be lost, and an obfuscated id tells nothing.
func PathOf(id string) (string, error) {
	prefix, body, found := strings.Cut(id, ":")
	if found {
		prefix += ":"
	} else {
		prefix, body = "", id
	}
	if prefix == obfuscated || strings.HasPrefix(body, obfuscated) {
		return "", damaged("the document %q does not say the path that its id hides", id)
	}
	return prefix + strings.TrimPrefix(body, "/"), nil
}

// NormalPath is a path as a writer must spell it: NFC, single slashes, none at
// either end, no space that only looks like one.
func NormalPath(path string) string {
	path = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(path)
	return norm.NFC.String(strings.Trim(oneSlash(path), "/"))
}

// oneSlash makes the separators after the last colon single slashes.
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

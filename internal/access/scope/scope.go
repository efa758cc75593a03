// Package scope says which files of a vault somebody may see.
//
// A Scope is two lists of rules: what is allowed and what is denied. What is
// denied is closed, whatever is allowed; without a list of what is allowed,
// all else is open. A rule is a folder or a file by its path from the root,
// with everything below it, or a glob as ripgrep reads it; a folder that a
// glob matches is covered with everything below it, too.
//
// Paths are compared by vpath.Key, so that a rule covers a file under every
// spelling that some system takes for the same. The package does no I/O: who
// has which scope, and what it means to be closed, is for others.
package scope

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/vpath"
)

// Scope is what is open to somebody. The zero value is everything.
type Scope struct {
	allow, deny rules
	key         string
}

// New reads lists of rules. An empty list of what is allowed allows all.
func New(allow, deny []string) (Scope, error) {
	allowed, err := readAll("allow", allow)
	if err != nil {
		return Scope{}, err
	}
	denied, err := readAll("deny", deny)
	if err != nil {
		return Scope{}, err
	}
	s := Scope{allow: allowed, deny: denied}
	if !allowed.empty() || !denied.empty() {
		s.key = fingerprint(allowed.all, denied.all)
	}
	return s, nil
}

// All reports whether everything is open.
func (s Scope) All() bool { return s.key == "" }

// Open reports whether a file may be seen. A folder may be seen where a file
// below it is open, and not for its own sake: whether there is one that holds
// only what is closed must not be told.
func (s Scope) Open(file vpath.Path) bool {
	if s.All() {
		return true
	}
	key := string(file.Key())
	return !s.deny.cover(key) && (s.allow.empty() || s.allow.cover(key))
}

// Folders are those folders that are allowed by their path and not denied: all
// that a caller need know to find a place to write. None if all is allowed.
func (s Scope) Folders() []vpath.Path {
	var open []vpath.Path
	for _, folder := range s.allow.plain {
		if s.Open(folder.Join("note.md")) {
			open = append(open, folder)
		}
	}
	return open
}

// Key identifies the rules: scopes of the same rules, in whatever order and
// spelling, have the same key. That of everything is "".
func (s Scope) Key() string { return s.key }

// String tells that there are rules without telling them: they name what is
// closed.
func (s Scope) String() string {
	if s.All() {
		return "everything"
	}
	return "limited " + s.key[:12]
}

// GoString is String, so that no way of printing shows the rules.
func (s Scope) GoString() string { return s.String() }

func fingerprint(allow, deny []string) string {
	hash := sha256.New()
	for _, list := range [][]string{allow, deny} {
		slices.Sort(list)
		hash.Write([]byte(strings.Join(slices.Compact(list), "\n") + "\n\n")) // no rule holds a line feed
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

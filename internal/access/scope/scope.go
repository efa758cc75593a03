// Package scope decides which files of a vault a caller may see.
//
// A Scope is a list of allow rules and a list of deny rules. Deny wins over allow;
// without allow rules, everything that is not denied is open. A rule is either the
// path of a folder or file from the vault's root, or a glob in ripgrep's syntax. A
// rule that matches a folder covers everything below it.
//
// Paths are compared by vpath.Key, so that a rule covers a file under every
// spelling that some system takes for the same. The package does no I/O. Which
// caller has which scope, and how a closed file is hidden, is decided elsewhere.
package scope

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/conflict"
	"obsidian-mcp/internal/note/vpath"
)

// Scope says what is open to a caller. In the zero Scope, everything is.
type Scope struct {
	allow, deny rules
	key         string
}

// New parses lists of rules. An empty allow list allows everything.
func New(allow, deny []string) (Scope, error) {
	allowed, err := parseRules("allow", allow)
	if err != nil {
		return Scope{}, err
	}
	denied, err := parseRules("deny", deny)
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

// Open reports whether the caller may see a file. Ask about files only: a folder
// is visible if a file below it is open, so that a folder with nothing but closed
// files is not revealed. A copy that a sync program made of a file in conflict is
// open only if that file is.
func (s Scope) Open(file vpath.Path) bool {
	if s.All() {
		return true
	}
	for path, isCopy := string(file), true; isCopy; path, isCopy = conflict.OriginalOf(path) {
		key := string(vpath.Path(path).Key())
		if s.deny.cover(key) || !s.allow.empty() && !s.allow.cover(key) {
			return false
		}
	}
	return true
}

// Writable reports whether the caller may create or change a file. A limited
// scope refuses names that can pass for others: short names such as PRIVAT~1,
// which Windows may resolve to a closed file, and names with invisible characters.
func (s Scope) Writable(file vpath.Path) bool {
	return s.All() || s.Open(file) && !isShortName(file) && !strings.ContainsFunc(string(file), isInvisible)
}

// isShortName reports whether a part of a path looks like PRIVAT~1.
func isShortName(path vpath.Path) bool {
	for part := range strings.SplitSeq(string(path), "/") {
		if _, number, ok := strings.Cut(part, "~"); ok && number != "" && number[0] >= '0' && number[0] <= '9' {
			return true
		}
	}
	return false
}

// Folders returns the folders that are allowed by path and not denied, as
// suggestions of where to write. It is empty if there are no allow rules.
func (s Scope) Folders() []vpath.Path {
	var open []vpath.Path
	for _, folder := range s.allow.plain {
		if s.Open(folder.Join("note.md")) {
			open = append(open, folder)
		}
	}
	return open
}

// Key identifies the rules: scopes with the same rules, in any order and
// spelling, have the same key. Without rules it is "".
func (s Scope) Key() string { return s.key }

// String says whether there are rules without revealing them: they name closed
// files.
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

// Package vpath turns strings into safe paths inside a vault, and resolves links among them.
//
// A Path is relative to the vault's root, uses slashes, and is safe by construction: a path that Parse accepts cannot
// leave the vault, name a hidden file or contain a control character, on any platform. Parse never repairs its input; it
// rejects a doubtful path and says why. Portable answers the stricter question of whether a new file may be created at
// a path.
//
// Spellings that differ only in letter case or Unicode normal form mean the same note: Key folds them together. A Set
// holds all paths of a vault and resolves links as Obsidian does, without reading any file.
//
// The package does no I/O. Symbolic links, FIFOs and mounts are left to the store that opens the path.
package vpath

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"obsidian-mcp/internal/fault"
)

// Limits on paths. They stay below the limits of common file systems, to leave room for the vault's own location and
// for temporary names.
const (
	MaxComponent = 255  // bytes of one file or folder name
	MaxPath      = 3500 // bytes of an entire path
	MaxDepth     = 128  // components of one path
)

// Path is a vault-relative path that passed Parse. The empty Path means the vault's root folder; Parse never returns it.
type Path string

// Parse checks s and returns it as a Path. It serves existing files as well as new ones, so it accepts names that only
// some systems can store; Portable rejects those.
func Parse(s string) (Path, error) {
	if err := checkText(s); err != nil {
		return "", err
	}
	if err := checkInside(s); err != nil {
		return "", err
	}
	depth := 0
	for component := range strings.SplitSeq(s, "/") {
		if depth++; depth > MaxDepth {
			return "", fault.InvalidArgument.Errorf("path is more than %d folders deep", MaxDepth)
		}
		if err := checkComponent(component); err != nil {
			return "", err
		}
	}
	return Path(s), nil
}

// checkText rejects text that cannot be a path on any system.
func checkText(s string) error {
	switch {
	case s == "":
		return fault.InvalidArgument.Errorf("path is empty")
	case len(s) > MaxPath:
		return fault.InvalidArgument.Errorf("path is longer than %d bytes", MaxPath)
	case !utf8.ValidString(s), strings.ContainsRune(s, utf8.RuneError):
		return fault.InvalidArgument.Errorf("path %+q is not valid Unicode", s)
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return fault.InvalidArgument.Errorf("path %+q contains a control character", s)
		}
	}
	return nil
}

// checkInside rejects paths that some system would resolve from outside the vault.
func checkInside(s string) error {
	switch {
	case s[0] == '/':
		return fault.PermissionDenied.Errorf("path %q is absolute", s).
			WithHint("give the path from the vault's root, without a leading slash")
	case strings.Contains(s, `\`):
		return fault.PermissionDenied.Errorf("path %q contains a backslash", s).
			WithHint("separate folders with /")
	case len(s) > 1 && s[1] == ':' && isLetter(s[0]):
		return fault.PermissionDenied.Errorf("path %q starts with a drive letter", s)
	}
	return nil
}

func checkComponent(component string) error {
	switch {
	case component == "":
		return fault.InvalidArgument.Errorf("path has an empty component").
			WithHint("remove leading, trailing and doubled slashes")
	case component == ".", component == "..":
		return fault.PermissionDenied.Errorf("path contains %q", component).
			WithHint("give the path from the vault's root")
	case len(component) > MaxComponent:
		return fault.InvalidArgument.Errorf("a name is longer than %d bytes", MaxComponent)
	case isHidden(component):
		return fault.PermissionDenied.Errorf("%q is hidden: files and folders whose names start with a dot are not accessible", component)
	}
	return nil
}

// isHidden reports whether a name starts with a dot, also in disguise: after invisible characters, without the trailing
// dots and spaces that Windows drops, or as the short name (GIT~1) that Windows gives a well-known hidden folder.
func isHidden(component string) bool {
	if component[0] == '.' {
		return true
	}
	bare := component
	if !isASCII(bare) {
		bare = strings.Map(dropInvisible, bare)
	}
	bare = strings.TrimRight(bare, ". ")
	if bare == "" || bare[0] == '.' {
		return true
	}
	stem, number, isShort := strings.Cut(bare, "~")
	return isShort && number != "" && strings.Trim(number, "0123456789") == "" && hiddenShortName(stem)
}

func hiddenShortName(stem string) bool {
	switch strings.ToLower(stem) {
	case "git", "obsidi", "trash":
		return true
	}
	return false
}

// Compose returns the path in Unicode's composed form (NFC), which new files use. The path of an existing file keeps
// its spelling on disk.
func (p Path) Compose() Path { return Path(norm.NFC.String(string(p))) }

// Dir returns the folder that contains p; "" is the vault's root.
func (p Path) Dir() Path {
	if cut := strings.LastIndexByte(string(p), '/'); cut >= 0 {
		return p[:cut]
	}
	return ""
}

// Base returns the last component, with its extension.
func (p Path) Base() string { return string(p[strings.LastIndexByte(string(p), '/')+1:]) }

// Name returns the name of a note: the last component without ".md".
func (p Path) Name() string {
	base := p.Base()
	if p.IsNote() {
		return base[:len(base)-len(NoteExt)]
	}
	return base
}

// WithoutExt returns the path without ".md".
func (p Path) WithoutExt() string {
	if p.IsNote() {
		return string(p[:len(p)-len(NoteExt)])
	}
	return string(p)
}

// Join returns the path of below inside the folder p.
func (p Path) Join(below Path) Path {
	if p == "" {
		return below
	}
	return p + "/" + below
}

// In reports whether p is inside folder, at any depth. It compares the spellings exactly; use Below where letter case
// or normal form may differ.
func (p Path) In(folder Path) bool {
	if folder == "" {
		return true
	}
	return len(p) > len(folder) && p[:len(folder)] == folder && p[len(folder)] == '/'
}

// Below returns the part of p inside folder. The folder's key must match; its spelling may differ from that in p.
func (p Path) Below(folder Path) (Path, bool) {
	if folder == "" {
		return p, true
	}
	rest := p
	for range strings.Count(string(folder), "/") + 1 {
		_, below, more := strings.Cut(string(rest), "/")
		if !more {
			return "", false
		}
		rest = Path(below)
	}
	return rest, p[:len(p)-len(rest)-1].Key() == folder.Key()
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

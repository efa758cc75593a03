// Package vpath is the only door from a string to a path in a vault.
//
// A Path is vault-relative, separated by slashes, and safe by construction:
// whatever Parse lets through cannot leave the vault, name a hidden file or
// hide a control character, on any platform. Parse never mends its input;
// what is doubtful is refused with a reason. Whether a new file may be made
// at a path is a stricter question, answered by Portable.
//
// Two spellings that differ only in letter case or in Unicode normal form are
// one note: Key folds them together. Set holds a vault's paths and resolves
// links among them as Obsidian does, without reading a file.
//
// The package does no I/O: symbolic links, FIFOs and mounts are the business
// of the store that opens the path.
package vpath

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"obsidian-mcp/internal/fault"
)

// Limits on what is accepted as a path. They leave room for the vault's own
// location and for temporary names below the limits of common file systems.
const (
	MaxComponent = 255  // bytes of one file or folder name
	MaxPath      = 3500 // bytes of a whole path
	MaxDepth     = 128  // folders and file of one path
)

// Path is a vault-relative path that passed Parse. The empty Path is the
// vault's root folder; Parse never returns it.
type Path string

// Parse checks s and returns it as a Path. It is meant for what exists as
// well as for what does not: a name that only some systems can hold is
// accepted here and refused by Portable.
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

// checkText refuses what is not text fit for a file name anywhere.
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
			return fault.InvalidArgument.Errorf("path %+q holds a control character", s)
		}
	}
	return nil
}

// checkInside refuses what some system reads as a path from elsewhere.
func checkInside(s string) error {
	switch {
	case s[0] == '/':
		return fault.PermissionDenied.Errorf("path %q is absolute", s).
			WithHint("give the path from the vault's root, without a leading slash")
	case strings.Contains(s, `\`):
		return fault.PermissionDenied.Errorf("path %q holds a backslash", s).
			WithHint("separate folders with /")
	case len(s) > 1 && s[1] == ':' && isLetter(s[0]):
		return fault.PermissionDenied.Errorf("path %q starts with a drive", s)
	}
	return nil
}

func checkComponent(component string) error {
	switch {
	case component == "":
		return fault.InvalidArgument.Errorf("path has an empty part").
			WithHint("write no leading, trailing or doubled slash")
	case component == ".", component == "..":
		return fault.PermissionDenied.Errorf("path holds %q", component).
			WithHint("give the path from the vault's root")
	case len(component) > MaxComponent:
		return fault.InvalidArgument.Errorf("a name is longer than %d bytes", MaxComponent)
	case isHidden(component):
		return fault.PermissionDenied.Errorf("%q is hidden: files and folders whose name starts with a dot are closed", component)
	}
	return nil
}

// isHidden sees through the disguises of a leading dot: characters that show
// nothing, the trailing dots and spaces that Windows drops, and the short
// names that it invents for well-known hidden folders.
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
	stem, number, short := strings.Cut(bare, "~")
	return short && number != "" && strings.Trim(number, "0123456789") == "" && hiddenShortName(stem)
}

func hiddenShortName(stem string) bool {
	switch strings.ToLower(stem) {
	case "git", "obsidi", "trash":
		return true
	}
	return false
}

// Compose gives the path in Unicode's composed form, in which new names are
// stored. A path of an existing file keeps the spelling it has on disk.
func (p Path) Compose() Path { return Path(norm.NFC.String(string(p))) }

// Dir is the folder that holds p; "" is the vault's root.
func (p Path) Dir() Path {
	if cut := strings.LastIndexByte(string(p), '/'); cut >= 0 {
		return p[:cut]
	}
	return ""
}

// Base is the last component, with its extension.
func (p Path) Base() string { return string(p[strings.LastIndexByte(string(p), '/')+1:]) }

// Name is the base without ".md": what a note is called.
func (p Path) Name() string {
	base := p.Base()
	if p.IsNote() {
		return base[:len(base)-len(NoteExt)]
	}
	return base
}

// WithoutExt is the whole path without ".md".
func (p Path) WithoutExt() string {
	if p.IsNote() {
		return string(p[:len(p)-len(NoteExt)])
	}
	return string(p)
}

// Join puts a vault-relative path below the folder p.
func (p Path) Join(below Path) Path {
	if p == "" {
		return below
	}
	return p + "/" + below
}

// In reports whether p lies below folder, at any depth. Spellings count as
// they are: compare keys where case may differ.
func (p Path) In(folder Path) bool {
	if folder == "" {
		return true
	}
	return len(p) > len(folder) && p[:len(folder)] == folder && p[len(folder)] == '/'
}

// Below is the part of p that is below folder, which may be spelt otherwise
// than p spells it.
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

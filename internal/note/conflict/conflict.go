// Package conflict recognises what sync programs leave behind when a file was changed in two places: copies with a
// telling name, and markers in the text.
package conflict

import (
	"bytes"
	"regexp"
	"strings"
)

// copyName matches the part of a name that sync programs add to a copy: Dropbox, Nextcloud and Obsidian Sync, Syncthing,
// Seafile and others in the same manner, rclone, ownCloud, Synology Drive, and OneDrive on a computer with the name that Windows gave
// it. Programs that only add a number, as iCloud and Google Drive do, leave nothing to recognise.
var copyName = regexp.MustCompile(`(?i) \([^()]*conflicted copy[^()]*\)|\.sync-conflict-\d{8}-\d{6}(-[A-Z0-9]{7})?| \((?:SF)?conflict\b[^()]*\)` +
	`|\.conflict\d+|\.\.path[12]\b|_conflict-\d{8}-\d{6}|_[^_/]+_[a-z]{3}-\d\d-\d{4,6}-\d{4}_conflict` +
	`|-(?-i:(?:DESKTOP|LAPTOP)-[A-Z0-9]{7,8})(?:-\d+)?(?:\.[a-z0-9]+)?$`)

// CopyName returns the path of a copy that holds another version of a file: OriginalOf returns the file's path again.
func CopyName(path, version string) string {
	name := path[lastSlash(path)+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		dot = len(name)
	}
	added := " (conflict " + version + ")"
	stem := name[:dot]
	if over := len(name) + len(added) - maxName; over > 0 && over < len(stem) {
		stem = strings.ToValidUTF8(stem[:len(stem)-over], "")
	}
	return path[:len(path)-len(name)] + stem + added + name[dot:]
}

// maxName is how long a file name may be, in bytes.
const maxName = 255

// OriginalOf returns the path of the file that a conflict copy belongs to; ok is false if the path is not that of a copy.
func OriginalOf(path string) (original string, ok bool) {
	name := path[lastSlash(path)+1:]
	if !mayBeCopy(name) {
		return "", false
	}
	found := copyName.FindStringIndex(name)
	if found == nil || found[0] == 0 {
		return "", false
	}
	if at := strings.LastIndexByte(name[found[0]:found[1]], '.'); at > 0 && name[found[0]] == '-' {
		found[1] = found[0] + at // the extension after the name of a computer
	}
	return path[:len(path)-len(name)] + name[:found[0]] + name[found[1]:], true
}

// mayBeCopy is a quick look at a name: it is asked about every file of a vault.
func mayBeCopy(name string) bool {
	for i := 0; i+5 < len(name); i++ {
		switch name[i] {
		case 'o', 'O': // as in conflict
			if strings.EqualFold(name[i:i+6], "onflic") {
				return true
			}
		case '.':
			if strings.HasPrefix(name[i:], "..path") {
				return true
			}
		case '-':
			if strings.HasPrefix(name[i:], "-DESKT") || strings.HasPrefix(name[i:], "-LAPTO") {
				return true
			}
		}
	}
	return false
}

func lastSlash(path string) int {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return i
		}
	}
	return -1
}

// HasMarkers reports whether a text contains the three markers of a conflict that a merge could not resolve, in their
// order and outside of fenced code.
func HasMarkers(text []byte) bool {
	wanted := 0
	var fence []byte
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if mark := fenceOf(line); mark != nil {
			switch {
			case fence == nil:
				fence = mark
			case bytes.HasPrefix(mark, fence):
				fence = nil
			}
			continue
		}
		if fence != nil {
			continue
		}
		switch {
		case bytes.HasPrefix(line, []byte("<<<<<<< ")):
			wanted = 1
		case wanted == 1 && string(line) == "=======":
			wanted = 2
		case wanted == 2 && bytes.HasPrefix(line, []byte(">>>>>>> ")):
			return true
		}
	}
	return false
}

// fenceOf returns the backticks or tildes with which a line opens or closes fenced code.
func fenceOf(line []byte) []byte {
	line = bytes.TrimLeft(line, " ")
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return nil
	}
	length := len(line) - len(bytes.TrimLeft(line, string(line[:1])))
	if length < 3 {
		return nil
	}
	return line[:length]
}

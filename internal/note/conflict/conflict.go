// Package conflict recognises what sync programs leave behind when a file was changed in two places: copies with a
// telling name, and markers in the text.
package conflict

import (
	"bytes"
	"regexp"
)

// copyName matches the part of a name that sync programs add to a copy: Dropbox, Nextcloud and Obsidian Sync, Syncthing,
// others in the same manner, and rclone.
var copyName = regexp.MustCompile(`(?i) \([^()]*conflicted copy[^()]*\)|\.sync-conflict-\d{8}-\d{6}(-[A-Z0-9]{7})?| \(conflict\b[^()]*\)|\.conflict\d+|\.\.path[12]\b`)

// OriginalOf returns the path of the file that a conflict copy belongs to; ok is false if the path is not that of a copy.
func OriginalOf(path string) (original string, ok bool) {
	name := path[lastSlash(path)+1:]
	found := copyName.FindStringIndex(name)
	if found == nil || found[0] == 0 {
		return "", false
	}
	return path[:len(path)-len(name)] + name[:found[0]] + name[found[1]:], true
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

package format

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
)

// textSuffixes are the case-sensitive suffixes of files that are stored as text; all others are stored as base64.
var textSuffixes = []string{".md", ".txt", ".svg", ".html", ".csv", ".css", ".js", ".xml", ".canvas"}

// IsText reports whether a file of this name is stored as text.
func IsText(name string) bool {
	for _, suffix := range textSuffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// typeOf returns the type of a file's document.
func typeOf(name string) string {
	if IsText(name) {
		return typeText
	}
	return typeBinary
}

// pieces splits a file's content, or a part of it, into the texts that its chunks store.
func pieces(name string, content []byte, bounds sizes) ([]string, error) {
	text := IsText(name)
	if text && !utf8.Valid(content) {
		return nil, fault.InvalidArgument.Errorf("%q is a text file, but its content is not UTF-8", name)
	}
	var list []string
	for piece := range bounds.split(text, content) {
		if text {
			list = append(list, string(piece))
		} else {
			list = append(list, base64.StdEncoding.EncodeToString(piece))
		}
	}
	return list, nil
}

// joiner assembles a file's content, piece by piece, in order.
type joiner struct {
	text    bool
	mapped  bool // bytes mapped to characters, as release 0.20 stored them
	begun   bool
	limit   int64
	content []byte
}

func (j *joiner) add(piece string) error {
	first := !j.begun
	j.begun = true
	if j.text {
		j.content = append(j.content, piece...)
		return j.withinLimit()
	}
	if first && strings.HasPrefix(piece, "%") {
		j.mapped, piece = true, piece[1:]
	}
	var err error
	if j.mapped {
		j.content, err = appendMapped(j.content, piece)
	} else {
		j.content, err = appendBase64(j.content, piece)
	}
	if err != nil {
		return err
	}
	return j.withinLimit()
}

func (j *joiner) withinLimit() error {
	if int64(len(j.content)) > j.limit {
		return damagedBy(ErrSize, "its chunks hold more than the expected %d bytes", j.limit)
	}
	return nil
}

// appendBase64 accepts missing padding, as the plugin does.
func appendBase64(to []byte, text string) ([]byte, error) {
	content, err := base64.RawStdEncoding.AppendDecode(to, []byte(strings.TrimRight(text, "=")))
	if err != nil {
		return to, damaged("a chunk is not base64")
	}
	return content, nil
}

// mapStart is the first of the characters that replace bytes which JSON or the plugin would have to escape.
const mapStart = 0xc0

func appendMapped(to []byte, text string) ([]byte, error) {
	for _, char := range text {
		switch {
		case char >= mapStart && char <= mapStart+0xff:
			to = append(to, byte(char-mapStart))
		case char >= 0x26 && char <= 0x7e && char != 0x3a:
			to = append(to, byte(char))
		default:
			return to, damaged("a chunk is not in the form of release 0.20")
		}
	}
	return to, nil
}

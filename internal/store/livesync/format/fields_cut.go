package format

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// What is here takes for granted that it is given JSON. It exists since most
// documents are chunks, whose one long text would be copied three times by
// package json.

const jsonSpace = " \t\r\n"

// ourFields are the names that need not be made anew for each document.
var ourFields = func() map[string]string {
	names := map[string]string{}
	for _, name := range append(knownFields, "e_") {
		names[name] = name
	}
	return names
}()

func fieldName(quoted []byte) (name string, err error) {
	if name, ours := ourFields[string(quoted[1:len(quoted)-1])]; ours {
		return name, nil
	}
	if json.Unmarshal(quoted, &name) != nil {
		return "", damaged("the name of a field is not understood")
	}
	return name, nil
}

// isPlain reports whether a value is a text that stands for itself, without
// escapes.
func isPlain(raw []byte) bool {
	return raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw)
}

// cutValue gives the value that a text begins with, and what follows it.
func cutValue(text []byte) (value, rest []byte) {
	end := 0
	switch text[0] {
	case '"':
		end = textEnd(text)
	case '{', '[':
		end = nestedEnd(text)
	default:
		end = bytes.IndexAny(text, jsonSpace+",}")
	}
	return text[:end:end], text[end:]
}

// textEnd is where the text literal that begins here ends: at the first quote
// that is not escaped.
func textEnd(text []byte) int {
	for at := 1; ; at++ {
		at += bytes.IndexByte(text[at:], '"')
		before := bytes.TrimRight(text[:at], `\`)
		if (at-len(before))%2 == 0 {
			return at + 1
		}
	}
}

// nestedEnd is where the array or object that begins here ends.
func nestedEnd(text []byte) int {
	depth := 0
	for at := 0; ; {
		switch text[at] {
		case '"':
			at += textEnd(text[at:])
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
		at++
	}
}

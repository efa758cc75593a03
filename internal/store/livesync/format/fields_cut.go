package format

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// The functions in this file assume valid JSON. They exist because most documents are chunks, whose one long text
// encoding/json would copy three times.

const jsonSpace = " \t\r\n"

// ourFields interns the names of known fields, to save an allocation per field and document.
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
		return "", damaged("the name of a field cannot be parsed")
	}
	return name, nil
}

// isPlain reports whether a value is a string without escapes.
func isPlain(raw []byte) bool {
	return raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw)
}

// cutValue splits a text after the JSON value that it starts with.
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

// textEnd returns where the string literal at the start of text ends: after the first unescaped quote.
func textEnd(text []byte) int {
	for at := 1; ; at++ {
		at += bytes.IndexByte(text[at:], '"')
		before := bytes.TrimRight(text[:at], `\`)
		if (at-len(before))%2 == 0 {
			return at + 1
		}
	}
}

// nestedEnd returns where the array or object at the start of text ends.
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

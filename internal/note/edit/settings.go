package edit

import (
	"bytes"
	"encoding/json"
	"strings"

	"obsidian-mcp/internal/note/md"
)

// MovePaths rewrites paths in a file of Obsidian's settings, such as the list of bookmarks. It asks about every string,
// with the key that it or its list is the value of. It changes nothing in a file that is not valid JSON.
func MovePaths(src []byte, moved func(key, path string) (string, bool)) []md.Splice {
	return rewriteStrings(src, func(at jsonString) (string, bool) {
		if at.isKey || len(at.keys) == 0 {
			return "", false
		}
		return moved(at.keys[len(at.keys)-1], at.text)
	})
}

// RenameType gives a property another name in Obsidian's list of types, unless that has a type already. It changes
// nothing in a file that is not valid JSON.
func RenameType(src []byte, from, to string) []md.Splice {
	taken := false
	splices := rewriteStrings(src, func(at jsonString) (string, bool) {
		if !at.isKey || len(at.keys) != 1 || at.keys[0] != "types" {
			return "", false
		}
		isOld := strings.EqualFold(at.text, from)
		taken = taken || !isOld && strings.EqualFold(at.text, to)
		return to, isOld
	})
	if taken {
		return nil
	}
	return splices
}

// quoteJSON writes a string as Obsidian does, with < and & as they are.
func quoteJSON(text string) []byte {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))
}

// jsonString is a string in a JSON document.
type jsonString struct {
	text  string
	isKey bool
	keys  []string // those that lead to it; lists have none of their own
}

// rewriteStrings replaces strings of a JSON document.
func rewriteStrings(src []byte, rewrite func(jsonString) (string, bool)) []md.Splice {
	if !json.Valid(src) {
		return nil
	}
	type level struct {
		inObject bool
		hasKey   bool
	}
	var splices []md.Splice
	var keys []string
	decoder := json.NewDecoder(bytes.NewReader(src))
	levels := []level{{}}
	for {
		before := int(decoder.InputOffset())
		token, err := decoder.Token()
		if err != nil {
			return splices
		}
		top := &levels[len(levels)-1]
		text, isText := token.(string)
		isKey := top.inObject && !top.hasKey && isText
		if isText {
			if renamed, ok := rewrite(jsonString{text, isKey, keys}); ok && renamed != text {
				start := before + bytes.IndexByte(src[before:], '"')
				splices = append(splices, md.Splice{Span: md.Span{Start: start, End: int(decoder.InputOffset())}, Text: quoteJSON(renamed)})
			}
		}
		switch {
		case token == json.Delim('{'), token == json.Delim('['):
			levels = append(levels, level{inObject: token == json.Delim('{')})
			continue
		case token == json.Delim('}'), token == json.Delim(']'):
			levels = levels[:len(levels)-1]
			top = &levels[len(levels)-1]
		case isKey:
			top.hasKey = true
			keys = append(keys, text)
			continue
		}
		if top.inObject { // the value is complete
			top.hasKey = false
			keys = keys[:len(keys)-1]
		}
	}
}

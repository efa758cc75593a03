package edit

import (
	"bytes"
	"encoding/json"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// MoveBookmarks rewrites the paths of a moved file in Obsidian's list of bookmarks. It changes nothing in a file that is
// not valid JSON.
func MoveBookmarks(src []byte, from, to vpath.Path) []md.Splice {
	if !json.Valid(src) {
		return nil
	}
	quoted, _ := json.Marshal(string(to))
	var splices []md.Splice
	walkStrings(src, func(key, value string, span md.Span) {
		if key == "path" && value == string(from) {
			splices = append(splices, md.Splice{Span: span, Text: quoted})
		}
	})
	return splices
}

// walkStrings visits the strings of a JSON document that are values of a key, each with its span, quotes included.
func walkStrings(src []byte, visit func(key, value string, span md.Span)) {
	type level struct {
		inObject bool
		key      string
		hasKey   bool
	}
	decoder := json.NewDecoder(bytes.NewReader(src))
	levels := []level{{}}
	for {
		before := int(decoder.InputOffset())
		token, err := decoder.Token()
		if err != nil {
			return
		}
		top := &levels[len(levels)-1]
		text, isText := token.(string)
		switch {
		case token == json.Delim('{'), token == json.Delim('['):
			levels = append(levels, level{inObject: token == json.Delim('{')})
			continue
		case token == json.Delim('}'), token == json.Delim(']'):
			levels = levels[:len(levels)-1]
			top = &levels[len(levels)-1]
		case top.inObject && !top.hasKey:
			top.key, top.hasKey = text, true
			continue
		case isText && top.inObject:
			start := before + bytes.IndexByte(src[before:], '"')
			visit(top.key, text, md.Span{Start: start, End: int(decoder.InputOffset())})
		}
		top.hasKey = false
	}
}

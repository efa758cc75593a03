package canvas

import (
	"bytes"
	"encoding/json"
	"errors"
)

// span is a range of bytes of the source.
type span struct{ start, end int }

func (s span) of(src []byte) []byte { return src[s.start:s.end] }

// value is a JSON value and where it is. Its kind is its first byte, or 0 for every number.
type value struct {
	span
	kind    byte     // { [ " 0 t f n
	members []member // of an object, in order; a key may occur more than once
	items   []*value // of a list
}

// member is a key of an object with its value.
type member struct {
	key   string
	at    span // of the key, with its quotes
	value *value
}

// get returns the value of a key, or nil. If a key occurs twice, the last one counts, as for Obsidian.
func (v *value) get(key string) *value {
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].key == key {
			return v.members[i].value
		}
	}
	return nil
}

// text decodes a string.
func (v *value) text(src []byte) (text string, isText bool) {
	return text, v.kind == '"' && json.Unmarshal(v.of(src), &text) == nil
}

// byteOrderMark may precede the JSON.
var byteOrderMark = []byte("\ufeff")

// file is a canvas with the positions of everything in it. What the file does not have is nil.
type file struct {
	src          []byte
	root         *value
	nodes, edges *value
}

// objects returns those items of a list that are objects.
func (f *file) objects(list *value) (objects []*value) {
	if list == nil {
		return nil
	}
	for _, item := range list.items {
		if item.kind == '{' {
			objects = append(objects, item)
		}
	}
	return objects
}

// parseFile reads a canvas.
func parseFile(src []byte) (*file, error) {
	f := &file{src: src}
	body := bytes.TrimPrefix(src, byteOrderMark)
	if len(bytes.TrimSpace(body)) == 0 {
		return f, nil
	}
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, notJSON(body, err)
	}
	r := reader{src: src, at: len(src) - len(body)}
	if f.root = r.value(); f.root.kind != '{' {
		return nil, refuse(InvalidCanvas, "the canvas is not a JSON object").WithHint("repair the file in Obsidian or in a text editor first")
	}
	f.nodes, f.edges = f.root.get("nodes"), f.root.get("edges")
	for _, key := range []string{"nodes", "edges"} {
		if list := f.root.get(key); list != nil && list.kind != '[' {
			return nil, refuse(InvalidCanvas, "'%s' in the canvas is not a list", key).WithHint("repair the file in Obsidian or in a text editor first")
		}
	}
	return f, nil
}

func notJSON(body []byte, err error) error {
	line := 1
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		line += bytes.Count(body[:min(int(syntax.Offset), len(body))], []byte("\n"))
	}
	return refuse(InvalidJSON, "the canvas is not valid JSON: line %d: %v", line, err).WithHint("repair the file in a text editor first")
}

// reader reads JSON that is known to be valid.
type reader struct {
	src []byte
	at  int
}

func (r *reader) space() {
	for r.at < len(r.src) && isSpace(r.src[r.at]) {
		r.at++
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func (r *reader) value() *value {
	r.space()
	v := &value{span: span{start: r.at}, kind: r.src[r.at]}
	switch v.kind {
	case '{':
		r.each('}', func() {
			key := r.value()
			name, _ := key.text(r.src)
			r.space()
			r.at++ // the colon
			v.members = append(v.members, member{name, key.span, r.value()})
		})
	case '[':
		r.each(']', func() { v.items = append(v.items, r.value()) })
	case '"':
		for r.at++; r.src[r.at] != '"'; r.at++ {
			if r.src[r.at] == '\\' {
				r.at++
			}
		}
		r.at++
	default:
		for r.at < len(r.src) && !isSpace(r.src[r.at]) && !bytes.ContainsRune([]byte(",]}"), rune(r.src[r.at])) {
			r.at++
		}
		if v.kind == '-' || '0' <= v.kind && v.kind <= '9' {
			v.kind = '0'
		}
	}
	v.end = r.at
	return v
}

// each reads the parts of a list or object until it closes.
func (r *reader) each(closing byte, part func()) {
	r.at++
	for r.space(); r.src[r.at] != closing; r.space() {
		if r.src[r.at] == ',' {
			r.at++
			continue
		}
		part()
	}
	r.at++
}

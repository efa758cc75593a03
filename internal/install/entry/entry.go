// Package entry reads, sets and removes one entry in another program's
// configuration text: JSON, JSON with comments, or TOML.
//
// The text belongs to another program. It is read as a whole and must be valid;
// otherwise nothing is changed. Edits are splices that touch only the entry:
// comments, order, indentation, line endings and all other entries keep their
// bytes. Inside the entry only what differs is rewritten. Setting an entry to
// its current value changes nothing. Removing an entry that Set added to an
// existing object restores the earlier bytes, except for white space inside
// otherwise empty braces.
package entry

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"
)

// Format is the format of a configuration text.
type Format int

// The supported formats.
const (
	JSON  Format = iota
	JSONC        // JSON with comments and trailing commas
	TOML
)

// Field is a named value of an Object.
type Field struct {
	Name  string
	Value any // a string, a bool, []string, an Object, or a value returned by Get
}

// Object is an entry, with its fields in the order in which they are written.
type Object []Field

// Error says where a text cannot be read or edited.
type Error struct {
	Line, Column int // from 1; 0 if the error has no position
	What         string
}

// Error returns the position and the problem.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.What
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.What)
}

// ValueError reports a value that no configuration can hold.
type ValueError struct{ Value string }

// Error returns the value and the problem.
func (e *ValueError) Error() string {
	return fmt.Sprintf("%q is not valid UTF-8, and cannot be written into a configuration", e.Value)
}

// Text is a valid configuration text.
type Text struct {
	bytes  []byte
	format Format
	json   *document
	toml   map[string]any
}

// Read reads a whole text.
func Read(text []byte, format Format) (Text, error) {
	t := Text{bytes: text, format: format}
	err := checkEncoding(text)
	switch {
	case err != nil:
	case format == TOML:
		t.toml, err = parseTOML(text)
	default:
		t.json, err = parseJSON(text, format)
	}
	return t, err
}

// Get returns the value at a path of keys, as encoding/json would decode it; numbers have the types of the format's own
// library.
func (t Text) Get(path ...string) (value any, found bool, err error) {
	if t.format == TOML {
		return getTOML(t.toml, path)
	}
	return t.json.get(path)
}

// Set returns the text with the entry at a path of keys, replacing what was there before. It adds missing parent objects.
// A value that no text can hold is refused with a ValueError.
func (t Text) Set(value Object, path ...string) ([]byte, error) {
	if err := writable(value); err != nil {
		return nil, err
	}
	if t.format == TOML {
		return t.setTOML(path, value)
	}
	return t.setJSON(path, value)
}

// Remove returns the text without the entry at a path of keys. Its parent objects stay.
func (t Text) Remove(path ...string) ([]byte, error) {
	if t.format == TOML {
		return t.removeTOML(path)
	}
	return t.removeJSON(path)
}

// Get reads a text and returns the value at a path of keys.
func Get(text []byte, format Format, path ...string) (value any, found bool, err error) {
	t, err := Read(text, format)
	if err != nil {
		return nil, false, err
	}
	return t.Get(path...)
}

// Set reads a text and returns it with the entry at a path of keys.
func Set(text []byte, format Format, value Object, path ...string) ([]byte, error) {
	t, err := Read(text, format)
	if err != nil {
		return nil, err
	}
	return t.Set(value, path...)
}

// checkEncoding refuses UTF-16, which some editors and shells on Windows write. The parser would only complain about the
// first character.
func checkEncoding(text []byte) error {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(text, []byte(mark)) {
			return &Error{What: "the file is in UTF-16: save it as UTF-8"}
		}
	}
	return nil
}

// writable refuses text that no configuration can hold.
func writable(value any) error {
	switch value := value.(type) {
	case string:
		if !utf8.ValidString(value) {
			return &ValueError{value}
		}
	case []string:
		for _, item := range value {
			if err := writable(item); err != nil {
				return err
			}
		}
	case Object:
		for _, field := range value {
			if err := cmp.Or(writable(field.Name), writable(field.Value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// plain returns a value as a decoder would.
func plain(value any) any {
	switch value := value.(type) {
	case Object:
		object := make(map[string]any, len(value))
		for _, field := range value {
			object[field.Name] = plain(field.Value)
		}
		return object
	case []string:
		items := make([]any, len(value))
		for i, item := range value {
			items[i] = item
		}
		return items
	}
	return value
}

func same(a, b any) bool { return equal(plain(a), plain(b)) }

// equal compares decoded values. NaN equals NaN here, since both are the same text.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || math.IsNaN(a) && math.IsNaN(b))
	}
	return reflect.DeepEqual(a, b)
}

// asObject converts a decoded object, with its names sorted.
func asObject(decoded map[string]any) Object {
	object := make(Object, 0, len(decoded))
	for _, name := range slices.Sorted(maps.Keys(decoded)) {
		object = append(object, Field{name, decoded[name]})
	}
	return object
}

// named returns the value of a field.
func (o Object) named(name string) (any, bool) {
	at := slices.IndexFunc(o, func(f Field) bool { return f.Name == name })
	if at < 0 {
		return nil, false
	}
	return o[at].Value, true
}

// nest puts a value under a path of keys.
func nest(path []string, value any) any {
	for _, name := range slices.Backward(path) {
		value = Object{{name, value}}
	}
	return value
}

// splice replaces a range of a text.
type splice struct {
	start, end int
	text       string
}

// apply applies splices, which are sorted and do not overlap.
func apply(text []byte, splices []splice) []byte {
	var out bytes.Buffer
	at := 0
	for _, s := range splices {
		out.Write(text[at:s.start])
		out.WriteString(s.text)
		at = s.end
	}
	out.Write(text[at:])
	return out.Bytes()
}

const byteOrderMark = "\ufeff"

// newlineOf returns the line ending of a text.
func newlineOf(text []byte) string {
	if at := bytes.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// errorAt makes an error with a position in the text.
func errorAt(text []byte, at int, format string, args ...any) *Error {
	before := bytes.TrimPrefix(text[:min(at, len(text))], []byte(byteOrderMark))
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return &Error{
		Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(line) + 1,
		What: fmt.Sprintf(format, args...),
	}
}

package md

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/text/order"
)

// CanvasKind says what a string in a canvas is.
type CanvasKind uint8

// The strings of a canvas that can refer to files.
const (
	CanvasFile       CanvasKind = iota // the vault path of a file card
	CanvasMarkdown                     // the Markdown of a text card
	CanvasBackground                   // the vault path of a group's background image
	CanvasSubpath                      // the subpath of a file card, with its #
)

// CanvasText is a JSON string in a canvas.
type CanvasText struct {
	Span  // between the quotes
	Kind  CanvasKind
	Value string // decoded
	File  string // for a subpath: the vault path of its card
	Part  string // for a file: the subpath of its card, with its #
}

// ScanCanvas returns the strings that can refer to files, in document order. An empty file is an empty canvas.
func ScanCanvas(src []byte) ([]CanvasText, error) {
	if isBlank(src) {
		return nil, nil
	}
	c := canvasReader{src: src}
	if bytes.HasPrefix(src, byteOrderMark) {
		c.base = len(byteOrderMark)
	}
	c.decoder = json.NewDecoder(bytes.NewReader(src[c.base:]))
	err := c.object(func(key string) error {
		if key != "nodes" {
			return c.skip()
		}
		return c.array(c.node)
	})
	if err == nil {
		if _, end := c.decoder.Token(); end != io.EOF {
			err = errors.New("unexpected data after the canvas object")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the canvas is not valid JSON: %w", err)
	}
	return c.found, nil
}

type canvasReader struct {
	src     []byte
	base    int // where the decoder's input starts
	decoder *json.Decoder
	found   []CanvasText
}

// node reads one card. The type may follow the strings whose meaning it decides.
func (c *canvasReader) node() error {
	var kind string
	texts := map[string]CanvasText{}
	err := c.object(func(key string) error {
		text, isText, err := c.text()
		if err != nil || !isText {
			return err
		}
		if key == "type" {
			kind = text.Value
		}
		texts[key] = text
		return nil
	})
	if err != nil {
		return err
	}
	switch kind {
	case "file":
		c.add(texts, "file", CanvasFile)
		c.add(texts, "subpath", CanvasSubpath)
	case "text":
		c.add(texts, "text", CanvasMarkdown)
	case "group":
		c.add(texts, "background", CanvasBackground)
	}
	return nil
}

func (c *canvasReader) add(texts map[string]CanvasText, key string, kind CanvasKind) {
	if text, ok := texts[key]; ok {
		text.Kind = kind
		if kind == CanvasSubpath {
			text.File = texts["file"].Value
		}
		if kind == CanvasFile {
			text.Part = texts["subpath"].Value
		}
		c.found = append(c.found, text)
	}
}

// object reads the next object and calls each for every key; each must read the key's value. A null counts as an empty
// object.
func (c *canvasReader) object(each func(key string) error) error {
	if opened, err := c.open('{'); err != nil || !opened {
		return err
	}
	for c.decoder.More() {
		key, err := c.decoder.Token()
		if err != nil {
			return err
		}
		if err := each(key.(string)); err != nil {
			return err
		}
	}
	_, err := c.decoder.Token()
	return err
}

func (c *canvasReader) array(each func() error) error {
	if opened, err := c.open('['); err != nil || !opened {
		return err
	}
	for c.decoder.More() {
		if err := each(); err != nil {
			return err
		}
	}
	_, err := c.decoder.Token()
	return err
}

// open reads the start of a collection. It returns false if the value is null instead.
func (c *canvasReader) open(wanted json.Delim) (bool, error) {
	token, err := c.decoder.Token()
	if err != nil || token == nil {
		return false, err
	}
	if token != wanted {
		return false, fmt.Errorf("expected %v, found %v", wanted, token)
	}
	return true, nil
}

func (c *canvasReader) skip() error {
	var value json.RawMessage
	return c.decoder.Decode(&value)
}

// text reads a value and returns it with its span if it is a string.
func (c *canvasReader) text() (CanvasText, bool, error) {
	start := c.base + int(c.decoder.InputOffset())
	for start < len(c.src) && (isSpace(c.src[start]) || c.src[start] == ':') {
		start++
	}
	if start == len(c.src) || c.src[start] != '"' {
		return CanvasText{}, false, c.skip()
	}
	var value string
	if err := c.decoder.Decode(&value); err != nil {
		return CanvasText{}, false, err
	}
	end := c.base + int(c.decoder.InputOffset())
	return CanvasText{Span: Span{start + 1, end - 1}, Value: value}, true, nil
}

// Splices translates changes of the decoded text, which must not overlap, into changes of the canvas. Other bytes of the
// string keep their spelling.
func (t CanvasText) Splices(src []byte, changes []Splice) []Splice {
	ordered := slices.Clone(changes)
	order.Stably(ordered, func(a, b Splice) int { return a.Start - b.Start })
	raw, at := t.Start, 0
	walk := func(to int) int {
		for at < to && raw < t.End {
			at, raw = t.step(src, at, raw)
		}
		return raw
	}
	for i, change := range ordered {
		start := walk(change.Start)
		ordered[i] = Splice{Span: Span{start, walk(change.End)}, Text: jsonEscape(change.Text)}
	}
	return ordered
}

// step moves forward by one character, both in the decoded text and in the source.
func (t CanvasText) step(src []byte, at, raw int) (int, int) {
	_, size := utf8.DecodeRuneInString(t.Value[at:])
	if src[raw] != '\\' {
		_, width := utf8.DecodeRune(src[raw:t.End])
		return at + size, raw + width
	}
	if src[raw+1] != 'u' {
		return at + size, raw + 2
	}
	raw += 6
	if size == 4 { // a surrogate pair
		raw += 6
	}
	return at + size, raw
}

// jsonEscape returns text as part of a JSON string.
func jsonEscape(text []byte) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(string(text)); err != nil {
		return text
	}
	quoted := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	return quoted[1 : len(quoted)-1]
}

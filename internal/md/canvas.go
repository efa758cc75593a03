package md

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// CanvasKind says what a text of a canvas is.
type CanvasKind uint8

// The texts of a canvas that can refer to files.
const (
	CanvasFile       CanvasKind = iota // the vault path of a file card
	CanvasMarkdown                     // the Markdown of a text card
	CanvasBackground                   // the vault path of a group's picture
)

// CanvasText is a JSON string of a canvas.
type CanvasText struct {
	Span  // of what is between its quotes
	Kind  CanvasKind
	Value string // as it reads
}

// ScanCanvas finds the texts that can refer to files, in document order. An
// empty file is an empty canvas.
func ScanCanvas(src []byte) ([]CanvasText, error) {
	if isBlank(src) {
		return nil, nil
	}
	c := canvasReader{src: src, decoder: json.NewDecoder(bytes.NewReader(src))}
	err := c.object(func(key string) error {
		if key != "nodes" {
			return c.skip()
		}
		return c.array(c.node)
	})
	if err != nil {
		return nil, fmt.Errorf("the canvas is not valid JSON: %w", err)
	}
	return c.found, nil
}

type canvasReader struct {
	src     []byte
	decoder *json.Decoder
	found   []CanvasText
}

// node reads one card; its type may come after what it decides about.
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
	case "text":
		c.add(texts, "text", CanvasMarkdown)
	case "group":
		c.add(texts, "background", CanvasBackground)
	}
	return nil
}

func (c *canvasReader) add(texts map[string]CanvasText, key string, kind CanvasKind) {
	if text, there := texts[key]; there {
		text.Kind = kind
		c.found = append(c.found, text)
	}
}

// object calls each with every key of the object that comes next; each must
// read the key's value.
func (c *canvasReader) object(each func(key string) error) error {
	if err := c.open('{'); err != nil {
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
	if err := c.open('['); err != nil {
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

func (c *canvasReader) open(wanted json.Delim) error {
	token, err := c.decoder.Token()
	if err != nil {
		return err
	}
	if token != wanted {
		return fmt.Errorf("%v where %v was expected", token, wanted)
	}
	return nil
}

func (c *canvasReader) skip() error {
	var value json.RawMessage
	return c.decoder.Decode(&value)
}

// text reads a value and says where it is, if it is a string.
func (c *canvasReader) text() (CanvasText, bool, error) {
	start := int(c.decoder.InputOffset())
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
	end := int(c.decoder.InputOffset())
	return CanvasText{Span: Span{start + 1, end - 1}, Value: value}, true, nil
}

// Splice turns a change of the text as it reads into one of the canvas, in
// which only the bytes concerned differ.
func (t CanvasText) Splice(src []byte, change Splice) Splice {
	raw, at := t.Start, 0
	var span Span
	for ; ; at, raw = t.step(src, at, raw) {
		if at <= change.Start {
			span.Start = raw
		}
		if at >= change.End || raw >= t.End {
			span.End = raw
			break
		}
	}
	return Splice{Span: span, Text: jsonEscape(change.Text)}
}

// step moves one character on, in the text as it reads and as it is written.
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
	if size == 4 { // a pair of surrogates
		raw += 6
	}
	return at + size, raw
}

// jsonEscape writes text as a part of a JSON string.
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

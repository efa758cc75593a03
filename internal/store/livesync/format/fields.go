package format

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// fields holds a document's values as received, by key, so that unknown fields keep their exact text.
type fields map[string]json.RawMessage

// parseFields parses a document. The values alias raw.
func parseFields(raw []byte) (fields, error) {
	if !json.Valid(raw) {
		return nil, damaged("a document is not a JSON object")
	}
	rest, object := bytes.CutPrefix(bytes.TrimLeft(raw, jsonSpace), []byte("{"))
	if !object {
		return nil, damaged("a document is not a JSON object")
	}
	parsed := make(fields, 8)
	for rest = bytes.TrimLeft(rest, jsonSpace+","); rest[0] != '}'; rest = bytes.TrimLeft(rest, jsonSpace+",") {
		var key, value []byte
		key, rest = cutValue(rest)
		value, rest = cutValue(bytes.TrimLeft(rest, jsonSpace+":"))
		name, err := fieldName(key)
		if err != nil {
			return nil, err
		}
		parsed[name] = value
	}
	return parsed, nil
}

// field pairs a key with the destination of its value.
type field struct {
	key  string
	into any
}

// readAll decodes several fields.
func (f fields) readAll(all ...field) error {
	for _, field := range all {
		if err := f.read(field.key, field.into); err != nil {
			return err
		}
	}
	return nil
}

// read decodes one field. A missing or null field leaves into unchanged; a field of the wrong type is an error.
func (f fields) read(key string, into any) error {
	raw, ok := f[key]
	if !ok || string(raw) == "null" {
		return nil
	}
	if text, ok := into.(*string); ok && isPlain(raw) {
		*text = string(raw[1 : len(raw)-1])
		return nil
	}
	if json.Unmarshal(raw, into) != nil {
		return damaged("the field %q of the document has the wrong type", key)
	}
	return nil
}

// set encodes one field.
func (f fields) set(key string, value any) error {
	raw, err := marshal(value)
	if err != nil {
		return err
	}
	f[key] = raw
	return nil
}

// clone returns a copy that does not alias the document it was parsed from.
func (f fields) clone() fields {
	copied := make(fields, len(f))
	for key, raw := range f {
		copied[key] = bytes.Clone(raw)
	}
	return copied
}

// marshal encodes JSON without escaping HTML characters.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// number is an integer in a document. JavaScript may have written it with a fraction.
type number int64

// UnmarshalJSON reads a number and drops its fraction.
func (n *number) UnmarshalJSON(raw []byte) error {
	value, err := strconv.ParseFloat(strings.TrimSpace(string(raw)), 64)
	if err != nil {
		return err
	}
	const most = 1 << 53
	*n = number(math.Trunc(min(max(value, -most), most)))
	return nil
}

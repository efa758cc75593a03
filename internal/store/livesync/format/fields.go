package format

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// fields are a document as it came, key by key: what we do not know about
// keeps its very text.
type fields map[string]json.RawMessage

// parseFields takes a document apart. The fields are parts of raw, and not
// copies.
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

// field names one field, and says where its value goes.
type field struct {
	key  string
	into any
}

// readAll decodes several fields.
func (f fields) readAll(all ...field) error {
	for _, one := range all {
		if err := f.read(one.key, one.into); err != nil {
			return err
		}
	}
	return nil
}

// read decodes one field. One that is missing or null leaves the value as it
// is; one of another type is damage.
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
		return damaged("the field %q of the document is not understood", key)
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

// clone gives a copy that is independent of the document it came from.
func (f fields) clone() fields {
	copied := make(fields, len(f))
	for key, raw := range f {
		copied[key] = bytes.Clone(raw)
	}
	return copied
}

// marshal encodes without the escapes that are for web pages.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// number is a whole number of a document. JavaScript may have written it with
// a fraction.
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

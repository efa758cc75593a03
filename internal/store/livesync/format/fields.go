package format

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// fields are a document as it came, key by key: what we do not know about
// keeps its very text.
type fields map[string]json.RawMessage

func parseFields(raw []byte) (fields, error) {
	var parsed fields
	if err := json.Unmarshal(raw, &parsed); err != nil || parsed == nil {
		return nil, damaged("a document is not a JSON object")
	}
	return parsed, nil
}

// read decodes one field. One that is missing or null leaves the value as it
// is; one of another type is damage.
func (f fields) read(key string, into any) error {
	raw, ok := f[key]
	if !ok || string(raw) == "null" {
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

// without gives a copy that lacks some keys.
func (f fields) without(keys ...string) fields {
	kept := maps.Clone(f)
	maps.DeleteFunc(kept, func(key string, _ json.RawMessage) bool { return slices.Contains(keys, key) })
	return kept
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

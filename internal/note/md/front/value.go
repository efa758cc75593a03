package front

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Kind is the type of a property's value.
type Kind uint8

// The types of values. Dates are text.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Map
)

// Value is the value of a property. A number keeps its spelling.
type Value struct {
	Kind   Kind
	Text   string // the text, or the spelling of a Number or a Bool
	Items  []Value
	Fields []Field
}

// Field is a key and its value.
type Field struct {
	Key   string
	Value Value
}

// TextValue returns a text.
func TextValue(text string) Value { return Value{Kind: Text, Text: text} }

// ListValue returns a list.
func ListValue(items ...Value) Value { return Value{Kind: List, Items: items} }

// TextsValue returns a list of texts.
func TextsValue(texts ...string) Value {
	list := Value{Kind: List}
	for _, text := range texts {
		list.Items = append(list.Items, TextValue(text))
	}
	return list
}

// BoolValue returns a boolean, which Obsidian shows as a checkbox.
func BoolValue(on bool) Value { return Value{Kind: Bool, Text: strconv.FormatBool(on)} }

// NumberValue returns a number with the given spelling.
func NumberValue(spelling string) Value { return Value{Kind: Number, Text: spelling} }

// True reports whether the value is the boolean true.
func (v Value) True() bool { return v.Kind == Bool && strings.EqualFold(v.Text, "true") }

// Float returns the value of a number, or NaN if v is not a number.
func (v Value) Float() float64 {
	if v.Kind != Number {
		return math.NaN()
	}
	text := strings.TrimPrefix(v.Text, "+")
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case ".inf":
		if text[0] == '-' {
			return math.Inf(-1)
		}
		return math.Inf(1)
	case ".nan":
		return math.NaN()
	}
	if base := radix(text); base != 0 {
		integer, _ := new(big.Int).SetString(text[2:], base)
		f, _ := new(big.Float).SetInt(integer).Float64()
		return f
	}
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

func radix(text string) int {
	switch {
	case strings.HasPrefix(text, "0x"):
		return 16
	case strings.HasPrefix(text, "0o"):
		return 8
	}
	return 0
}

// Equal reports whether two values mean the same. It ignores spelling and the order of a map's keys, but not the order of
// a list.
func (v Value) Equal(w Value) bool {
	if v.Kind != w.Kind || len(v.Items) != len(w.Items) || len(v.Fields) != len(w.Fields) {
		return false
	}
	switch v.Kind {
	case Bool:
		return v.True() == w.True()
	case Number:
		a, b := canonicalNumber(v), canonicalNumber(w)
		return a == b && (a != "null" || strings.EqualFold(v.Text, w.Text))
	case Text:
		return v.Text == w.Text
	}
	for i := range v.Items {
		if !v.Items[i].Equal(w.Items[i]) {
			return false
		}
	}
	for _, field := range v.Fields {
		other, ok := lookup(w.Fields, field.Key)
		if !ok || !field.Value.Equal(other) {
			return false
		}
	}
	return true
}

func lookup(fields []Field, key string) (Value, bool) {
	for _, field := range fields {
		if field.Key == key {
			return field.Value, true
		}
	}
	return Value{}, false
}

// MarshalJSON returns the value as JSON, with keys in their order. A number that JSON cannot represent (infinity) becomes
// null, as in JavaScript.
func (v Value) MarshalJSON() ([]byte, error) { return v.appendJSON(nil), nil }

func (v Value) appendJSON(dst []byte) []byte {
	switch v.Kind {
	case Bool:
		return strconv.AppendBool(dst, v.True())
	case Number:
		return append(dst, canonicalNumber(v)...)
	case Text:
		return appendJSONText(dst, v.Text)
	case List:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	case Map:
		dst = append(dst, '{')
		for i, field := range v.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSONText(dst, field.Key), ':')
			dst = field.Value.appendJSON(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// appendJSONText appends text as a JSON string and does not escape <, > and &.
func appendJSONText(dst []byte, text string) []byte {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return append(dst, `""`...)
	}
	return append(dst, strings.TrimSuffix(out.String(), "\n")...)
}

// canonicalNumber returns a number as JSON: decimal, all digits of an integer however long, no leading zeros or plus.
func canonicalNumber(v Value) string {
	text := strings.TrimPrefix(v.Text, "+")
	if radix(text) == 0 && strings.Trim(text, "-0123456789") == "" {
		sign := ""
		if rest, negative := strings.CutPrefix(text, "-"); negative {
			sign, text = "-", rest
		}
		if text = strings.TrimLeft(text, "0"); text == "" {
			return "0"
		}
		return sign + text
	}
	f := v.Float()
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return "null"
	}
	encoded, err := json.Marshal(f)
	if err != nil {
		return "null"
	}
	return string(encoded)
}

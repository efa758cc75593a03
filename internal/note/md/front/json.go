package front

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// FromJSON reads a JSON value. Numbers keep their spelling and objects the order of their keys. Nesting is limited as in
// frontmatter.
func FromJSON(text []byte) (Value, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := readJSON(decoder, MaxDepth)
	if err != nil {
		return Value{}, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Value{}, errors.New("unexpected text after the JSON value")
	}
	return value, nil
}

func readJSON(decoder *json.Decoder, depth int) (Value, error) {
	if depth == 0 {
		return Value{}, errors.New("JSON is nested too deeply")
	}
	token, err := decoder.Token()
	if err != nil {
		return Value{}, err
	}
	switch token := token.(type) {
	case bool:
		return BoolValue(token), nil
	case json.Number:
		return NumberValue(token.String()), nil
	case string:
		return TextValue(token), nil
	case json.Delim:
		return readJSONCollection(decoder, token, depth-1)
	}
	return Value{}, nil
}

func readJSONCollection(decoder *json.Decoder, opening json.Delim, depth int) (Value, error) {
	collection := Value{Kind: List}
	if opening == '{' {
		collection.Kind = Map
	}
	for decoder.More() {
		var key string
		if collection.Kind == Map {
			token, err := decoder.Token()
			if err != nil {
				return Value{}, err
			}
			key = token.(string)
			if _, exists := lookup(collection.Fields, key); exists {
				return Value{}, fmt.Errorf("duplicate key %q", key)
			}
		}
		item, err := readJSON(decoder, depth)
		if err != nil {
			return Value{}, err
		}
		if collection.Kind == Map {
			collection.Fields = append(collection.Fields, Field{key, item})
		} else {
			collection.Items = append(collection.Items, item)
		}
	}
	_, err := decoder.Token()
	return collection, err
}

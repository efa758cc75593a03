package couchdb

import (
	"bytes"
	"encoding/json"
	"errors"
)

// object is a JSON object whose fields keep their order and their spelling.
type object []field

type field struct {
	name  string
	value json.RawMessage
}

var errNoObject = errors.New("not a JSON object")

// UnmarshalJSON implements json.Unmarshaler. Of fields with the same name the last one counts.
func (o *object) UnmarshalJSON(text []byte) error {
	*o = (*o)[:0]
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return errNoObject
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		o.set(token.(string), value)
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) { return o.text(), nil }

func (o object) text() []byte {
	out := []byte{'{'}
	for i, f := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, encoded(f.name)...), ':'), f.value...)
	}
	return append(out, '}')
}

func (o object) get(name string) json.RawMessage {
	for _, f := range o {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

func (o *object) set(name string, value json.RawMessage) {
	for i, f := range *o {
		if f.name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, field{name, value})
}

// take removes a field and decodes its value into a variable, which stays as it is if the field is missing.
func (o *object) take(name string, into any) error {
	for i, f := range *o {
		if f.name == name {
			*o = append(append(object{}, (*o)[:i]...), (*o)[i+1:]...)
			return json.Unmarshal(f.value, into)
		}
	}
	return nil
}

// encoded is a value as JSON, spelt as CouchDB does.
func encoded(value any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

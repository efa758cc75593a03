package format

import (
	"encoding/json"
	"slices"
)

// edenChunk is a chunk that some releases stored inside the file's document ("eden").
type edenChunk struct {
	Data  string `json:"data"`
	Epoch number `json:"epoch"`
}

// sealedEdens are the keys under which a whole eden is encrypted.
var sealedEdens = []string{"h:++encrypted-hkdf", "h:++encrypted"}

// openEden reads the chunks inside the document, in every form.
func (c *Codec) openEden(file *Meta, from fields) error {
	var stored map[string]json.RawMessage
	if err := from.read("eden", &stored); err != nil {
		return err
	}
	if len(stored) == 0 {
		return nil
	}
	file.eden = make(map[string]edenChunk, len(stored))
	for id, raw := range stored {
		var chunk edenChunk
		if json.Unmarshal(raw, &chunk) != nil {
			return damaged("a chunk inside the document cannot be parsed")
		}
		if !slices.Contains(sealedEdens, id) {
			file.eden[id] = chunk
			continue
		}
		plain, err := c.cipher.Open(chunk.Data)
		if err != nil {
			return err
		}
		var inner map[string]edenChunk
		if json.Unmarshal([]byte(plain), &inner) != nil {
			return damaged("the encrypted chunks inside the document cannot be parsed")
		}
		for id, chunk := range inner {
			file.eden[id] = chunk
		}
	}
	return nil
}

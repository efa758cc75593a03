package format

import (
	"strings"
)

// Leaf is the document of a chunk.
type Leaf struct {
	ID   string
	Data string // the piece: decrypted and expanded
}

// decodeLeaf reads a chunk's document. What is not marked as encrypted may
// still be so: the mark is younger than encryption. There, a text that has
// the full form of an encrypted one must open, or a wrong passphrase would
// have its bytes taken for the note's.
func (c *Codec) decodeLeaf(from fields) (*Leaf, error) {
	leaf := &Leaf{}
	var marked bool
	for key, into := range map[string]any{"_id": &leaf.ID, "data": &leaf.Data, "e_": &marked} {
		if err := from.read(key, into); err != nil {
			return leaf, err
		}
	}
	if _, ok := from["data"]; !ok {
		return leaf, damaged("the chunk %q has no data", leaf.ID)
	}
	_, complete := parseEnvelope(leaf.Data)
	if marked || complete && strings.HasPrefix(leaf.ID, sealedPrefix) {
		clear, err := c.cipher.Open(leaf.Data)
		if err != nil {
			return leaf, err
		}
		leaf.Data = c.openAgain(clear)
	}
	var err error
	leaf.Data, err = expand(leaf.Data, c.maxChunk)
	return leaf, err
}

// openAgain undoes a second encryption: one part of the plugin has encrypted
// what was encrypted in the form before 0.25.
func (c *Codec) openAgain(text string) string {
	sealed, complete := parseEnvelope(text)
	if !complete || sealed.form != formV1 {
		return text
	}
	if clear, err := c.cipher.open(sealed); err == nil {
		return clear
	}
	return text
}

// encodeLeaf makes a chunk's document for a piece.
func (c *Codec) encodeLeaf(id, piece string) ([]byte, error) {
	document := struct {
		ID     string `json:"_id"`
		Type   string `json:"type"`
		Data   string `json:"data"`
		Marked bool   `json:"e_,omitempty"`
	}{ID: id, Type: typeChunk, Data: piece}
	if c.settings.Compress {
		document.Data = compress(piece)
	}
	if c.settings.Encrypt {
		sealed, err := c.seal(document.Data)
		if err != nil {
			return nil, err
		}
		document.Data, document.Marked = sealed, true
	}
	return marshal(document)
}

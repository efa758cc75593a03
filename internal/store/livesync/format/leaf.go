package format

import (
	"strings"
)

// Leaf is the document of a chunk.
type Leaf struct {
	ID   string
	Data string // decrypted and expanded
}

// decodeLeaf reads a chunk's document. A chunk without the encryption mark may still be encrypted, because encryption
// is older than the mark. In such a chunk, a text that has the complete form of an encrypted one must decrypt;
// otherwise, with a wrong passphrase, its ciphertext would become the note's content.
func (c *Codec) decodeLeaf(from fields) (*Leaf, error) {
	leaf := &Leaf{}
	var marked bool
	if err := from.readAll(field{"_id", &leaf.ID}, field{"data", &leaf.Data}, field{"e_", &marked}); err != nil {
		return leaf, err
	}
	if _, ok := from["data"]; !ok {
		return leaf, damaged("the chunk %q has no data", leaf.ID)
	}
	sealed, complete := parseEnvelope(leaf.Data)
	switch {
	case marked && !complete:
		return leaf, incomplete()
	case marked, complete && strings.HasPrefix(leaf.ID, sealedPrefix):
		plain, err := c.cipher.open(sealed)
		if err != nil {
			return leaf, err
		}
		leaf.Data = c.openAgain(plain)
	}
	var err error
	leaf.Data, err = expand(leaf.Data, c.maxChunk)
	return leaf, err
}

// openAgain undoes a second encryption: one part of the plugin has encrypted texts that were already encrypted in the
// form used before 0.25.
func (c *Codec) openAgain(text string) string {
	sealed, complete := parseEnvelope(text)
	if !complete || sealed.form != formV1 {
		return text
	}
	if plain, err := c.cipher.open(sealed); err == nil {
		return plain
	}
	return text
}

// encodeLeaf makes the chunk document for a piece.
func (c *Codec) encodeLeaf(id, piece string) ([]byte, error) {
	document := struct {
		ID     string `json:"_id"`
		Type   string `json:"type"`
		Data   string `json:"data"`
		Marked bool   `json:"e_,omitempty"`
	}{ID: id, Type: typeChunk, Data: piece}
	if c.settings.Compress || looksCompressed(piece) {
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

package format

import (
	"encoding/json"
	"io"
	"unicode/utf16"
)

// The test vectors cover functions that have no exported callers.

func MixedHash(text string, seed uint32) (murmur, fnv uint32) {
	return mixed(utf16.Encode([]rune(text)), seed)
}

func MixedText(text string) string { return mixedText(utf16.Encode([]rune(text))) }

// Fields parses a document.
func Fields(raw []byte) (map[string]json.RawMessage, error) { return parseFields(raw) }

// ReadText decodes one field of a document.
func ReadText(raw []byte, key string) (text string, err error) {
	from, err := parseFields(raw)
	if err == nil {
		err = from.read(key, &text)
	}
	return text, err
}

func HashPassphrase(pass Passphrase) (string, uint32) { return hashPassphrase(pass) }

func Compress(piece string) string { return compress(piece) }

func Expand(stored string, limit int64) (string, error) { return expand(stored, limit) }

func Pieces(name string, content []byte, rule SplitRule) ([]string, error) {
	return pieces(name, content, rule.sizes(IsText(name), len(content)))
}

func Join(text bool, limit int64, all ...string) ([]byte, error) {
	joined := joiner{text: text, limit: limit}
	for _, piece := range all {
		if err := joined.add(piece); err != nil {
			return nil, err
		}
	}
	return joined.content, nil
}

// SealV1With seals with a given salt and nonce.
func (c *Cipher) SealV1With(text string, salt, nonce []byte) (string, error) {
	return c.sealV1(text, salt, nonce)
}

func (c *Cipher) Derivations() int {
	c.keys.mu.Lock()
	defer c.keys.mu.Unlock()
	return len(c.keys.kept)
}

func DynamicIterations(pass Passphrase) int { return dynamicIterations(pass) }

// WithRandom returns a Cipher with the same keys and other random bytes.
func (c *Cipher) WithRandom(random io.Reader) *Cipher {
	return &Cipher{keys: c.keys, salt: c.salt, dynamic: c.dynamic, random: random}
}

// Eden returns the chunks inside a document.
func (m *Meta) Eden() map[string]string {
	all := map[string]string{}
	for id, chunk := range m.eden {
		all[id] = chunk.Data
	}
	return all
}

package format

import (
	"maps"
	"slices"
	"strings"
)

// sealedMeta is the prefix of the path of a document whose metadata are encrypted.
const sealedMeta = `/\:`

// hiddenFields are the fields that the current form encrypts, with the values that replace them.
var hiddenFields = map[string]any{"path": nil, "mtime": 0, "ctime": 0, "size": 0, "children": []string{}}

// openPath decrypts the path and, in the current form, all metadata with it. It returns the fields with the decrypted
// values.
func (c *Codec) openPath(file *Meta, from fields) (fields, error) {
	var id, path string
	if err := from.readAll(field{"_id", &id}, field{"path", &path}); err != nil {
		return from, err
	}
	if text, ok := strings.CutPrefix(path, sealedMeta); ok {
		return c.openMeta(file, from, text)
	}
	if !strings.HasPrefix(id, obfuscated) || len(path) <= 64 {
		return from, nil
	}
	sealed, complete := parseEnvelope(path)
	if !complete {
		return from, nil
	}
	decrypted, err := c.cipher.open(sealed)
	if err != nil {
		return from, err
	}
	opened := maps.Clone(from)
	return opened, opened.set("path", decrypted)
}

func (c *Codec) openMeta(file *Meta, from fields, text string) (fields, error) {
	decrypted, err := c.cipher.Open(text)
	if err != nil {
		return from, err
	}
	inner, err := parseFields([]byte(decrypted))
	if err != nil {
		return from, err
	}
	merged := maps.Clone(from)
	for key, value := range inner {
		if strings.HasPrefix(key, "_") {
			continue // CouchDB's own fields never come from encrypted metadata
		}
		merged[key] = value
		if slices.Contains(knownFields, key) {
			continue
		}
		if file.sealed == nil {
			file.sealed = map[string]bool{}
		}
		file.sealed[key] = true
	}
	return merged, nil
}

// hideMeta encrypts the metadata that the database hides.
func (c *Codec) hideMeta(file *Meta, document fields) error {
	switch {
	case !c.settings.Encrypt || !strings.HasPrefix(file.ID, obfuscated):
		return nil
	case c.settings.v1():
		path, err := c.cipher.SealPathV1(file.Path)
		if err != nil {
			return err
		}
		return document.set("path", path)
	}
	inner := fields{}
	for key, value := range document {
		if _, hidden := hiddenFields[key]; hidden || file.sealed[key] {
			inner[key] = value
			delete(document, key)
		}
	}
	text, err := marshal(inner)
	if err != nil {
		return err
	}
	sealed, err := c.cipher.Seal(string(text))
	if err != nil {
		return err
	}
	for key, value := range hiddenFields {
		if err := document.set(key, value); err != nil {
			return err
		}
	}
	return document.set("path", sealedMeta+sealed)
}

package format

import (
	"maps"
	"slices"
	"strings"
)

// sealedMeta begins the path of a document whose metadata are encrypted.
const sealedMeta = `/\:`

// hiddenFields are what today's form encrypts, and what it leaves in their
// place.
var hiddenFields = map[string]any{"path": nil, "mtime": 0, "ctime": 0, "size": 0, "children": []string{}}

// openPath decrypts the path, and with it, in today's form, all metadata. It
// gives the fields with what was hidden.
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
	clear, err := c.cipher.open(sealed)
	if err != nil {
		return from, err
	}
	opened := maps.Clone(from)
	return opened, opened.set("path", clear)
}

func (c *Codec) openMeta(file *Meta, from fields, text string) (fields, error) {
	clear, err := c.cipher.Open(text)
	if err != nil {
		return from, err
	}
	inner, err := parseFields([]byte(clear))
	if err != nil {
		return from, err
	}
	merged := maps.Clone(from)
	for key, value := range inner {
		if strings.HasPrefix(key, "_") {
			continue // CouchDB's own are not the plugin's to say
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

// hideMeta encrypts what the database hides of a file's document.
func (c *Codec) hideMeta(file *Meta, clear fields) error {
	switch {
	case !c.settings.Encrypt || !strings.HasPrefix(file.ID, obfuscated):
		return nil
	case c.settings.v1():
		path, err := c.cipher.SealPathV1(file.Path)
		if err != nil {
			return err
		}
		return clear.set("path", path)
	}
	inner := fields{}
	for key, value := range clear {
		if _, hidden := hiddenFields[key]; hidden || file.sealed[key] {
			inner[key] = value
			delete(clear, key)
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
		if err := clear.set(key, value); err != nil {
			return err
		}
	}
	return clear.set("path", sealedMeta+sealed)
}

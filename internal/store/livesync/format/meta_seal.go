package format

import (
	"strings"
)

// sealedMeta begins the path of a document whose metadata are encrypted.
const sealedMeta = `/\:`

// hiddenFields are what today's form encrypts, and what it leaves in their
// place.
var hiddenFields = map[string]any{"path": nil, "mtime": 0, "ctime": 0, "size": 0, "children": []string{}}

// openPath decrypts the path, and with it, in today's form, all metadata.
func (c *Codec) openPath(file *Meta) error {
	var path string
	if err := file.fields.read("path", &path); err != nil {
		return err
	}
	if text, ok := strings.CutPrefix(path, sealedMeta); ok {
		return c.openMeta(file, text)
	}
	var id string
	if err := file.fields.read("_id", &id); err != nil {
		return err
	}
	if _, complete := parseEnvelope(path); !complete || !strings.HasPrefix(id, obfuscated) || len(path) <= 64 {
		return nil
	}
	clear, err := c.cipher.Open(path)
	if err != nil {
		return err
	}
	file.fields = file.fields.without()
	return file.fields.set("path", clear)
}

func (c *Codec) openMeta(file *Meta, text string) error {
	clear, err := c.cipher.Open(text)
	if err != nil {
		return err
	}
	inner, err := parseFields([]byte(clear))
	if err != nil {
		return err
	}
	merged := file.fields.without()
	file.sealed = map[string]bool{}
	for key, value := range inner {
		if strings.HasPrefix(key, "_") {
			continue // CouchDB's own are not the plugin's to say
		}
		merged[key] = value
		file.sealed[key] = true
	}
	file.fields = merged
	return nil
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

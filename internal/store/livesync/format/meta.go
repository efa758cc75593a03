package format

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Meta is the document of a file, decrypted: everything but the content.
type Meta struct {
	ID, Rev      string
	Path         string // with its prefix, if it has one
	CTime, MTime int64  // milliseconds since 1970
	Size         int64
	Deleted      bool
	Conflicts    []string // the revisions of the branches that did not win
	Children     []string // ids of chunks, in order; may repeat

	docType string
	eden    map[string]edenChunk // chunks stored inside the document
	inline  []string             // the content, in a document of the oldest plugins
	legacy  bool
	unknown fields          // all other fields, decrypted
	sealed  map[string]bool // the unknown fields that were encrypted
}

// knownFields are the fields that Meta covers or that CouchDB adds to its responses.
var knownFields = []string{
	"_id", "_rev", "path", "type", "ctime", "mtime", "size", "children", "eden", "deleted", "data",
	"_deleted", "_conflicts", "_deleted_conflicts", "_revisions", "_revs_info", "_local_seq",
}

// Needs lists the ids of the chunks that hold the content, each once, without those inside the document itself.
func (m *Meta) Needs() []string {
	seen := make(map[string]bool, len(m.Children))
	var ids []string
	for _, id := range m.Children {
		if _, inside := m.eden[id]; !inside && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// Legacy reports whether the document is one of the oldest plugins', which contain the content.
func (m *Meta) Legacy() bool { return m.legacy }

// isText reports whether the content is stored as text, which is not always how it would be written today.
func (m *Meta) isText() bool { return m.docType == typeText || IsText(m.Path) }

// decodeMeta reads a file's document.
func (c *Codec) decodeMeta(from fields) (*Meta, error) {
	file := &Meta{}
	from, err := c.openPath(file, from)
	if err != nil {
		return file, err
	}
	if err := file.readFields(from); err != nil {
		return file, err
	}
	if file.Path == "" {
		if file.Path, err = PathOf(file.ID); err != nil {
			return file, err
		}
	}
	if err := c.openEden(file, from); err != nil {
		return file, err
	}
	if file.legacy && !file.Deleted {
		return file, c.readInline(file, from)
	}
	return file, nil
}

func (m *Meta) readFields(from fields) error {
	var ctime, mtime, size number
	var deleted, tombstone bool
	if err := from.readAll(
		field{"_id", &m.ID}, field{"_rev", &m.Rev}, field{"path", &m.Path}, field{"type", &m.docType},
		field{"ctime", &ctime}, field{"mtime", &mtime}, field{"size", &size}, field{"children", &m.Children},
		field{"deleted", &deleted}, field{"_deleted", &tombstone}, field{"_conflicts", &m.Conflicts},
	); err != nil {
		return err
	}
	m.CTime, m.MTime, m.Size = int64(ctime), int64(mtime), int64(size)
	m.Deleted = deleted || tombstone
	m.legacy = m.docType == typeLegacy || m.docType == ""
	for key, raw := range from {
		if slices.Contains(knownFields, key) {
			continue
		}
		if m.unknown == nil {
			m.unknown = fields{}
		}
		m.unknown[key] = bytes.Clone(raw)
	}
	return nil
}

// readInline reads the content inside a document of the oldest plugins: a text, or several to be joined.
func (c *Codec) readInline(file *Meta, from fields) error {
	var text string
	if json.Unmarshal(from["data"], &text) == nil {
		file.inline = []string{text}
	} else if err := from.read("data", &file.inline); err != nil {
		return err
	}
	if len(file.inline) == 0 {
		return damaged("the document of %q has no content", file.Path)
	}
	file.inline = slices.Clone(file.inline)
	for i, part := range file.inline {
		expanded, err := expand(part, c.maxChunk)
		if err != nil {
			return err
		}
		file.inline[i] = expanded
	}
	if !file.isText() {
		file.inline = []string{strings.Join(file.inline, "")} // one base64 text, wherever it was split
	}
	return nil
}

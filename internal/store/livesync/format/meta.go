package format

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Meta is the document of a file: all about it but its content, decrypted.
type Meta struct {
	ID, Rev      string
	Path         string // with its prefix, if it has one
	CTime, MTime int64  // milliseconds since 1970
	Size         int64
	Deleted      bool
	Conflicts    []string // the revisions of the branches that did not win
	Children     []string // ids of chunks, in order; one may occur again

	docType string
	eden    map[string]edenChunk // chunks that are kept inside the document
	whole   []string             // the content, in a document of the oldest plugins
	legacy  bool
	unknown fields          // what else the document says, decrypted
	sealed  map[string]bool // which of that was encrypted
}

// knownFields are those that a Meta tells, or that CouchDB adds to an answer.
var knownFields = []string{
	"_id", "_rev", "path", "type", "ctime", "mtime", "size", "children", "eden", "deleted", "data",
	"_deleted", "_conflicts", "_deleted_conflicts", "_revisions", "_revs_info", "_local_seq",
}

// Needs lists the chunks that the content is in, each once, without those
// that the document itself holds.
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

// Legacy reports a document of the oldest plugins, which holds its content
// itself.
func (m *Meta) Legacy() bool { return m.legacy }

// isText reports how the content is to be read, which is not always how it
// would be written.
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
		return file, c.readWhole(file, from)
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

// readWhole reads the content that a document of the oldest plugins holds: a
// text, or several to be joined.
func (c *Codec) readWhole(file *Meta, from fields) error {
	var one string
	if json.Unmarshal(from["data"], &one) == nil {
		file.whole = []string{one}
	} else if err := from.read("data", &file.whole); err != nil {
		return err
	}
	if len(file.whole) == 0 {
		return damaged("the document of %q holds no content", file.Path)
	}
	file.whole = slices.Clone(file.whole)
	for i, part := range file.whole {
		clear, err := expand(part, c.maxChunk)
		if err != nil {
			return err
		}
		file.whole[i] = clear
	}
	if !file.isText() {
		file.whole = []string{strings.Join(file.whole, "")} // one base64, however it was cut
	}
	return nil
}

package format

import (
	"cmp"

	"obsidian-mcp/internal/fault"
)

// fresher is a time that devices take for later than a document's. Two writers
// that follow the same document at different times get different ones, so that
// neither takes the other's document for its own.
func fresher(old *Meta, now int64) int64 { return old.MTime + freshness + now%1000 }

// freshness is by how much a change must be younger than what it replaces:
// devices compare times to two seconds.
const freshness = 2000

// Change is a file's new content.
type Change struct {
	Path    string
	Content []byte
	Now     int64 // milliseconds since 1970
	Created int64 // when the file came to be, if it is older than its document; 0: it is not
	// Chunk gives chunks that are in the database, above all those of the old
	// document: they are used again, and not made again. nil knows none.
	Chunk Lookup
}

// Upload is what a change must send: the chunks first, and when they are
// there, the file's document.
type Upload struct {
	Leaves []UploadLeaf
	File   *Meta
	Body   []byte // of the file's document, with the revision that it follows
}

// UploadLeaf is the document of one chunk. That it exists already is no
// failure.
type UploadLeaf struct {
	ID   string
	Body []byte
}

// Write makes the upload for a file's content. old is the document that is
// there now, deleted or not, or nil.
func (c *Codec) Write(old *Meta, change Change) (Upload, error) {
	if err := c.checkTarget(old, change.Path); err != nil {
		return Upload{}, err
	}
	file := c.successor(old, change.Path, change.Now)
	file.CTime = cmp.Or(change.Created, file.CTime)
	return c.write(file, old, change)
}

// Delete makes the document that says that a file is deleted. Its chunks stay:
// others may use them.
func (c *Codec) Delete(old *Meta, now int64) (Upload, error) {
	if err := c.checkWritten(old); err != nil {
		return Upload{}, err
	}
	if old.legacy {
		body, err := marshal(map[string]any{"_id": old.ID, "_rev": old.Rev, "_deleted": true})
		return Upload{File: &Meta{ID: old.ID, Rev: old.Rev, Path: old.Path, Deleted: true}, Body: body}, err
	}
	file := c.successor(old, old.Path, now)
	file.Deleted = true
	file.docType = old.docType
	if KindOf(old.ID, old.docType) != Hidden {
		return c.withChunksOf(old, file)
	}
	file.Size = 0
	body, err := c.encodeMeta(file)
	return Upload{File: file, Body: body}, err
}

// write completes the upload of a file that follows old.
func (c *Codec) write(file, old *Meta, change Change) (Upload, error) {
	cut, err := c.cut(old, change)
	if err != nil {
		return Upload{}, err
	}
	file.Size = int64(len(change.Content))
	upload := Upload{File: file}
	if file.Children, err = c.addLeaves(&upload, cut); err != nil {
		return Upload{}, err
	}
	upload.Body, err = c.encodeMeta(file)
	return upload, err
}

// checkTarget refuses to write a path, or to write it over a document. A file
// that is there may have a name that would not be given to a new one.
func (c *Codec) checkTarget(old *Meta, path string) error {
	if c.refusal != nil {
		return c.refusal
	}
	there := old != nil && !old.Deleted
	if !there || old.Path != path {
		if err := CheckPath(path); err != nil {
			return err
		}
	}
	if old == nil {
		return nil
	}
	if err := c.checkWritten(old); err != nil {
		return err
	}
	if c.ids.Check(old.ID, path) != nil {
		return fault.InvalidArgument.Errorf("%q is not the path of the document %q", path, old.ID)
	}
	if there && !SameFolder(old.Path, path) {
		return folderCase(old.Path, path)
	}
	return nil
}

// checkWritten refuses to follow a document that a writer should not touch.
func (c *Codec) checkWritten(old *Meta) error {
	switch {
	case c.refusal != nil:
		return c.refusal
	case len(old.Conflicts) > 0:
		return fault.Conflict.Errorf("%q was changed on two devices at once, and the conflict is not resolved", old.Path).
			WithHint("resolve the conflict on a device")
	}
	return c.CheckID(old)
}

func folderCase(old, path string) error {
	return fault.InvalidArgument.Errorf("%q would spell the folder of %q with other letters, and devices refuse that", path, old).
		WithHint("rename the folder on a device")
}

// successor is the document that follows old, or begins a file: what is known
// of old stays, and it is younger.
func (c *Codec) successor(old *Meta, path string, now int64) *Meta {
	file := &Meta{ID: c.ids.ID(path), Path: path, CTime: now, MTime: now, docType: typeOf(path)}
	if old == nil {
		return file
	}
	file.ID, file.Rev = old.ID, old.Rev
	file.unknown, file.sealed = old.unknown, old.sealed
	file.Size = old.Size
	if old.CTime > 0 {
		file.CTime = old.CTime
	}
	file.MTime = max(now, fresher(old, now))
	return file
}

// addLeaves makes the chunks that are not there, each once, and gives the ids
// of all.
func (c *Codec) addLeaves(upload *Upload, cut []piece) ([]string, error) {
	ids := make([]string, len(cut))
	made := map[string]bool{}
	for i, one := range cut {
		ids[i] = one.id
		if one.known || made[one.id] {
			continue
		}
		made[one.id] = true
		body, err := c.encodeLeaf(one.id, one.text)
		if err != nil {
			return nil, err
		}
		upload.Leaves = append(upload.Leaves, UploadLeaf{ID: one.id, Body: body})
	}
	return ids, nil
}

// keepChildren gives the children of a document, with those that it held
// inside as chunks of their own.
func (c *Codec) keepChildren(upload *Upload, old *Meta) ([]string, error) {
	cut := known(old.Children)
	for i, id := range old.Children {
		if inside, ok := old.eden[id]; ok {
			cut[i] = c.newPiece(inside.Data, nil)
		}
	}
	return c.addLeaves(upload, cut)
}

package format

import (
	"cmp"

	"obsidian-mcp/internal/fault"
)

// fresher returns a modification time that devices consider later than old's. Two writers that replace the same
// document at different times get different results, so that neither mistakes the other's document for its own.
func fresher(old *Meta, now int64) int64 { return old.MTime + freshness + now%1000 }

// freshness is how many milliseconds newer than its predecessor a document must be: devices compare times to two
// seconds.
const freshness = 2000

// Change is a file's new content.
type Change struct {
	Path    string
	Content []byte
	Now     int64 // milliseconds since 1970
	Created int64 // when the file was created, if that was before its document; otherwise 0
	// Chunk returns chunks that are in the database, above all those of the old document, so that they are reused. May
	// be nil.
	Chunk Lookup
}

// Upload is what a change must send: the chunks first and, once they are stored, the file's document.
type Upload struct {
	Leaves []UploadLeaf
	File   *Meta
	Body   []byte // the file's document, with the revision that it replaces
}

// UploadLeaf is the document of one chunk. If it exists already, that is not a failure.
type UploadLeaf struct {
	ID   string
	Body []byte
}

// Write makes the upload for a file's content. old is the existing document, deleted or not, or nil.
func (c *Codec) Write(old *Meta, change Change) (Upload, error) {
	if err := c.checkTarget(old, change.Path); err != nil {
		return Upload{}, err
	}
	file := c.successor(old, change.Path, change.Now)
	file.CTime = cmp.Or(change.Created, file.CTime)
	return c.write(file, old, change)
}

// Delete makes the document that marks a file as deleted. The chunks remain, because other files may use them.
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

// write completes the upload of file, the successor of old.
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

// checkTarget returns an error if path must not be written, or not over old. An existing file may have a name that a new
// file could not get.
func (c *Codec) checkTarget(old *Meta, path string) error {
	if c.refusal != nil {
		return c.refusal
	}
	exists := old != nil && !old.Deleted
	if !exists || old.Path != path {
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
	if exists && !SameFolder(old.Path, path) {
		return folderCase(old.Path, path)
	}
	return nil
}

// checkWritten returns an error if old must not be replaced.
func (c *Codec) checkWritten(old *Meta) error {
	switch {
	case c.refusal != nil:
		return c.refusal
	case len(old.Conflicts) > 0:
		return fault.Conflict.Errorf("%q has an unresolved conflict: it was changed on two devices at once", old.Path).
			WithHint("resolve_conflict merges the versions, or keeps the one that you choose")
	}
	return c.CheckID(old)
}

func folderCase(old, path string) error {
	return fault.InvalidArgument.Errorf("%q would change the case of the folder of %q, and devices refuse that", path, old).
		WithHint("rename the folder on a device")
}

// successor makes the document that replaces old, or the first document of a file if old is nil. It keeps what is known
// of old and has a later time.
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

// addLeaves adds the chunks that are not stored yet, each once, and returns the ids of all.
func (c *Codec) addLeaves(upload *Upload, pieces []piece) ([]string, error) {
	ids := make([]string, len(pieces))
	added := map[string]bool{}
	for i, piece := range pieces {
		ids[i] = piece.id
		if piece.stored || added[piece.id] {
			continue
		}
		added[piece.id] = true
		body, err := c.encodeLeaf(piece.id, piece.text)
		if err != nil {
			return nil, err
		}
		upload.Leaves = append(upload.Leaves, UploadLeaf{ID: piece.id, Body: body})
	}
	return ids, nil
}

// keepChildren returns the children of a document, and adds those inside it as chunks of their own.
func (c *Codec) keepChildren(upload *Upload, old *Meta) ([]string, error) {
	cut := storedPieces(old.Children)
	for i, id := range old.Children {
		if inside, ok := old.eden[id]; ok {
			cut[i] = c.newPiece(inside.Data, nil)
		}
	}
	return c.addLeaves(upload, cut)
}

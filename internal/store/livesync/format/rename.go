package format

import (
	"obsidian-mcp/internal/fault"
)

// Rename makes the uploads that give a file another path: one if only the case of its name changes, which keeps the id;
// otherwise two, the new document and then the deletion of the old one. target is the deleted document that has the new
// id, or nil.
//
// The chunks do not change, so the content is not needed. A rename between a text file and another kind of file must
// write the content again; see KeepsChunks.
func (c *Codec) Rename(old, target *Meta, path string, now int64) ([]Upload, error) {
	if err := c.checkWritten(old); err != nil {
		return nil, err
	}
	if !KeepsChunks(old, path) {
		return nil, fault.InvalidArgument.Errorf("%q cannot reuse the chunks of %q: write its content, then delete the old file", path, old.Path)
	}
	if old.ID == c.ids.ID(path) {
		upload, err := c.moved(old, old, path, now)
		return []Upload{upload}, err
	}
	if target != nil && !target.Deleted {
		return nil, fault.AlreadyExists.Errorf("%q exists", path)
	}
	moved, err := c.moved(old, target, path, now)
	if err != nil {
		return nil, err
	}
	deleted, err := c.Delete(old, now)
	return []Upload{moved, deleted}, err
}

// KeepsChunks reports whether a file's chunks can be reused under another name.
func KeepsChunks(old *Meta, path string) bool {
	return !old.legacy && !old.Deleted && old.isText() == IsText(path)
}

// moved makes the document at the new path, as the successor of target.
func (c *Codec) moved(from, target *Meta, path string, now int64) (Upload, error) {
	if err := c.checkTarget(target, path); err != nil {
		return Upload{}, err
	}
	return c.withChunksOf(from, c.heir(from, target, path, now))
}

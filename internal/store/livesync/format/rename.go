package format

import (
	"obsidian-mcp/internal/fault"
)

// Rename makes the uploads that give a file another path: one, where only the
// letters' case of its name changes, which keeps the id; else two, the new
// document and then the deletion of the old. target is the deleted document
// that has the new id, or nil.
//
// The chunks stay as they are, so the content need not be known; but between
// text and other files it must be written anew: see KeepsChunks.
func (c *Codec) Rename(old, target *Meta, path string, now int64) ([]Upload, error) {
	if err := c.checkWritten(old); err != nil {
		return nil, err
	}
	if !KeepsChunks(old, path) {
		return nil, fault.InvalidArgument.Errorf("%q cannot keep the chunks of %q: write its content, then delete the old file", path, old.Path)
	}
	if old.ID == c.ids.ID(path) {
		upload, err := c.moved(old, old, path, now)
		return []Upload{upload}, err
	}
	if target != nil && !target.Deleted {
		return nil, fault.AlreadyExists.Errorf("%q exists", path)
	}
	made, err := c.moved(old, target, path, now)
	if err != nil {
		return nil, err
	}
	gone, err := c.Delete(old, now)
	return []Upload{made, gone}, err
}

// KeepsChunks reports whether a file's chunks serve under another name.
func KeepsChunks(old *Meta, path string) bool {
	return !old.legacy && !old.Deleted && old.isText() == IsText(path)
}

// moved makes the document at the new path, which follows the one that is
// there.
func (c *Codec) moved(from, target *Meta, path string, now int64) (Upload, error) {
	if err := c.checkTarget(target, path); err != nil {
		return Upload{}, err
	}
	return c.withChunksOf(from, c.heir(from, target, path, now))
}

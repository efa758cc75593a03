package format

import (
	"cmp"
	"maps"
	"strings"

	"obsidian-mcp/internal/fault"
)

// Restore makes the upload that returns a file to an earlier state, deleted or not: old is that revision of the
// document, current the present one. The chunks of old must still be in the database; only chunks inside the document
// itself are written again.
func (c *Codec) Restore(current, old *Meta, now int64) (Upload, error) {
	if err := c.checkWritten(current); err != nil {
		return Upload{}, err
	}
	switch {
	case c.ids.Check(current.ID, old.Path) != nil:
		return Upload{}, fault.InvalidArgument.Errorf("%q is not the path of the document %q", old.Path, current.ID)
	case !current.Deleted && !SameFolder(current.Path, old.Path):
		return Upload{}, folderCase(current.Path, old.Path)
	case old.legacy && old.Deleted:
		return c.Delete(current, now)
	case old.legacy:
		return c.restoreInline(current, old, now)
	}
	file := c.heir(old, current, old.Path, now)
	file.Deleted, file.docType = old.Deleted, old.docType
	return c.withChunksOf(old, file)
}

// restoreInline writes the content of a document of the oldest plugins in the current form.
func (c *Codec) restoreInline(current, old *Meta, now int64) (Upload, error) {
	content, err := c.Content(old, func(id string) (string, error) { return "", MissingChunk(id) })
	if err != nil {
		return Upload{}, err
	}
	file := c.successor(current, old.Path, now)
	file.CTime = cmp.Or(old.CTime, file.CTime)
	return c.write(file, current, Change{Path: old.Path, Content: content, Now: now})
}

// heir makes the successor of onto that describes the file as from does, perhaps under another path. Fields that were
// encrypted in either stay encrypted.
func (c *Codec) heir(from, onto *Meta, path string, now int64) *Meta {
	file := c.successor(onto, path, now)
	file.CTime, file.Size = cmp.Or(from.CTime, file.CTime), from.Size
	file.MTime = max(file.MTime, fresher(from, now))
	file.unknown, file.sealed = fields{}, map[string]bool{}
	for _, source := range []*Meta{onto, from} {
		if source == nil {
			continue
		}
		maps.Copy(file.sealed, source.sealed)
		for key, value := range source.unknown {
			if source == onto || !strings.HasPrefix(key, "_") {
				file.unknown[key] = value
			}
		}
	}
	return file
}

// withChunksOf completes the upload of a file that reuses the chunks of another document.
func (c *Codec) withChunksOf(from, file *Meta) (Upload, error) {
	upload := Upload{File: file}
	var err error
	if file.Children, err = c.keepChildren(&upload, from); err != nil {
		return Upload{}, err
	}
	upload.Body, err = c.encodeMeta(file)
	return upload, err
}

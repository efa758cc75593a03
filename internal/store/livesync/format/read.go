package format

import (
	"fmt"

	"obsidian-mcp/internal/fault"
)

// Document is a decoded document of the database.
type Document struct {
	Kind    Kind
	ID, Rev string
	Deleted bool
	File    *Meta // for the kinds Note and Hidden
	Chunk   *Leaf // for the kind Chunk
}

// Decode reads a document. With an error it still returns the document's id and kind, so that the caller can name it.
// For the kinds Customisation, About and Other it reads nothing else. A bare tombstone has no File.
func (c *Codec) Decode(raw []byte) (Document, error) {
	from, err := parseFields(raw)
	if err != nil {
		return Document{}, err
	}
	var document Document
	var docType string
	var deleted bool
	if err := from.readAll(
		field{"_id", &document.ID}, field{"_rev", &document.Rev}, field{"type", &docType},
		field{"_deleted", &document.Deleted}, field{"deleted", &deleted},
	); err != nil {
		return c.decodeOdd(document, docType, from), about(document.ID, err)
	}
	bare := document.Deleted && from["path"] == nil
	document.Deleted = document.Deleted || deleted
	document.Kind = KindOf(document.ID, docType)
	switch {
	case bare:
	case docType == "" && from["data"] == nil && document.Kind != Chunk:
		document.Kind = Other
	case document.Kind == Chunk:
		document.Chunk, err = c.decodeLeaf(from)
	case document.Kind == Note || document.Kind == Hidden:
		document.File, err = c.decodeMeta(from)
	}
	return document, about(document.ID, err)
}

// decodeOdd reads as much as possible of a document whose fields have wrong types, so that the vault does not appear to
// lack the file.
func (c *Codec) decodeOdd(document Document, docType string, from fields) Document {
	document.Kind = KindOf(document.ID, docType)
	switch {
	case document.Kind == Chunk:
	case from["path"] == nil && from["children"] == nil:
		document.Kind = Other
	case document.Kind == Note || document.Kind == Hidden:
		document.File, _ = c.decodeMeta(from)
	}
	return document
}

// MissingChunk is the error for a chunk that a file needs and the database lacks. A device may still be uploading it.
func MissingChunk(id string) error { return damagedBy(ErrMissing, "the chunk %q is missing", id) }

// Content assembles a file. chunk returns the data of a chunk by its id, or MissingChunk.
func (c *Codec) Content(file *Meta, chunk func(id string) (string, error)) ([]byte, error) {
	content := joiner{text: file.isText(), limit: c.maxFile}
	if file.Size > 0 && !file.legacy {
		content.limit = min(content.limit, file.Size)
		content.content = make([]byte, 0, min(content.limit, 1<<20)) // the size may be wrong
	}
	for part := range file.parts(chunk) {
		if part.err != nil {
			return nil, about(file.ID, part.err)
		}
		if err := content.add(part.piece); err != nil {
			return nil, about(file.ID, err)
		}
	}
	if got := int64(len(content.content)); got != file.Size && file.Size != 0 && !file.legacy {
		return nil, about(file.ID, damagedBy(ErrSize, "its chunks hold %d bytes instead of %d", got, file.Size))
	}
	return content.content, nil
}

type part struct {
	piece string
	err   error
}

// parts iterates over the pieces of the content, in order.
func (m *Meta) parts(chunk func(id string) (string, error)) func(yield func(part) bool) {
	return func(yield func(part) bool) {
		for _, piece := range m.inline {
			if !yield(part{piece: piece}) {
				return
			}
		}
		for _, id := range m.Children {
			inside, ok := m.eden[id]
			next := part{piece: inside.Data}
			if !ok {
				next.piece, next.err = chunk(id)
			}
			if !yield(next) || next.err != nil {
				return
			}
		}
	}
}

// about names the document that an error is about.
func about(id string, err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{
		Kind: fault.KindOf(err), Message: fmt.Sprintf("document %q: %s", id, err), Hint: fault.HintOf(err), Err: err,
	}
}

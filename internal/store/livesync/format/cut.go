package format

import (
	"bytes"
	"slices"
	"strings"
)

// piece is a part of a file's content, and the chunk that holds it.
type piece struct {
	id     string
	text   string // as stored; not set for a stored piece
	stored bool   // the chunk is already in the database
}

// Lookup returns the data of a chunk that is certainly in the database. A chunk that it does not return may be
// there too.
type Lookup func(id string) (data string, ok bool)

// cut chooses the pieces of a new content. Splitting all of it the way devices do lets them share every chunk. But
// their rule depends on all text before a border, so an edit moves every border after it. If that would upload far
// more, cut keeps the old document's pieces whose bytes did not change, unless that leaves too many small pieces.
func (c *Codec) cut(old *Meta, change Change) ([]piece, error) {
	whole, err := c.cutPart(change, change.Content)
	if err != nil {
		return nil, err
	}
	around, err := c.cutAround(old, change)
	if err != nil {
		return nil, err
	}
	if around != nil && 2*newBytes(around) < newBytes(whole) && len(around) <= 2*len(whole)+8 {
		return around, nil
	}
	return whole, nil
}

func newBytes(cut []piece) int {
	sum := 0
	for _, piece := range cut {
		if !piece.stored {
			sum += len(piece.text)
		}
	}
	return sum
}

// cutPart splits a part of the content, or all of it, the way devices do.
func (c *Codec) cutPart(change Change, part []byte) ([]piece, error) {
	texts, err := pieces(change.Path, part, c.settings.Split.sizes(IsText(change.Path), len(change.Content)))
	if err != nil {
		return nil, err
	}
	cut := make([]piece, len(texts))
	for i, text := range texts {
		cut[i] = c.newPiece(text, change.Chunk)
	}
	return cut, nil
}

// newPiece names the chunk of a text. If another text already has that id, which happens with 32-bit hashes, it
// uses a longer id; readers accept any.
func (c *Codec) newPiece(text string, chunk Lookup) piece {
	result := piece{id: c.hasher.ID(text), text: text}
	if chunk == nil {
		return result
	}
	data, stored := chunk(result.id)
	if stored && data != text {
		result.id += "-" + hexHash(text)
		_, stored = chunk(result.id)
	}
	result.stored = stored
	return result
}

// cutAround keeps the old pieces before and after an edit. It splits the neighbour on either side again together
// with the new text; otherwise pieces would get smaller with every edit. It returns nil if no piece can be kept.
func (c *Codec) cutAround(old *Meta, change Change) ([]piece, error) {
	if old == nil || old.legacy || old.Deleted || change.Chunk == nil || old.isText() != IsText(change.Path) {
		return nil, nil
	}
	stored := c.keptPieces(old, change.Chunk)
	head, tail := 0, len(stored)
	from, to := 0, len(change.Content)
	for head < tail && stored[head] != nil && bytes.HasPrefix(change.Content[from:to], stored[head]) {
		from += len(stored[head])
		head++
	}
	for head < tail && stored[tail-1] != nil && bytes.HasSuffix(change.Content[from:to], stored[tail-1]) {
		tail--
		to -= len(stored[tail])
	}
	if from < to || head < tail {
		if head > 0 {
			head--
			from -= len(stored[head])
		}
		if tail < len(stored) {
			to += len(stored[tail])
			tail++
		}
	}
	middle, err := c.cutPart(change, change.Content[from:to])
	if err != nil {
		return nil, err
	}
	return slices.Concat(storedPieces(old.Children[:head]), middle, storedPieces(old.Children[tail:])), nil
}

// storedPieces returns pieces for chunks that are in the database.
func storedPieces(ids []string) []piece {
	pieces := make([]piece, len(ids))
	for i, id := range ids {
		pieces[i] = piece{id: id, stored: true}
	}
	return pieces
}

// keptPieces returns the bytes of a document's chunks; nil stands for a chunk that cannot be kept.
func (c *Codec) keptPieces(old *Meta, chunk Lookup) [][]byte {
	stored := make([][]byte, len(old.Children))
	for i, id := range old.Children {
		data, ok := chunk(id)
		if _, inside := old.eden[id]; !ok || inside || data == "" || strings.HasPrefix(id, sealedPrefix) != c.settings.Encrypt {
			continue
		}
		content := joiner{text: old.isText(), limit: c.maxFile}
		if content.add(data) == nil && !content.mapped {
			stored[i] = content.content
		}
	}
	return stored
}

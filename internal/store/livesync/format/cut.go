package format

import (
	"bytes"
	"slices"
	"strings"
)

// piece is a part of a file's content, and the chunk that holds it.
type piece struct {
	id    string
	text  string // as it is stored; not needed of a known one
	known bool   // the chunk is in the database
}

// Lookup gives the data of a chunk that is in the database for certain. What
// it does not know may be there too.
type Lookup func(id string) (data string, ok bool)

// cut chooses the pieces of a new content. Cutting all of it as devices do
// lets them share all chunks; but their rule remembers the whole text before
// a place, so that an edit moves every border behind it. Where that would
// upload far more, the pieces of the old document stay as far as their bytes
// do. Too many small pieces are cut anew.
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
	for _, one := range cut {
		if !one.known {
			sum += len(one.text)
		}
	}
	return sum
}

// cutPart cuts a part of the content, or all of it, as devices do.
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

// newPiece names the chunk of a text. Should another text have the id, which
// with 32 bits happens, it gets a longer one: readers take any.
func (c *Codec) newPiece(text string, chunk Lookup) piece {
	made := piece{id: c.hasher.ID(text), text: text}
	if chunk == nil {
		return made
	}
	data, known := chunk(made.id)
	if known && data != text {
		made.id += "-" + hexHash(text)
		_, known = chunk(made.id)
	}
	made.known = known
	return made
}

// cutAround keeps the old pieces before and behind an edit, but for one on
// either side: cut together with the new text, they do not crumble with every
// edit. It is nil where nothing can be kept.
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
	return slices.Concat(known(old.Children[:head]), middle, known(old.Children[tail:])), nil
}

func known(ids []string) []piece {
	kept := make([]piece, len(ids))
	for i, id := range ids {
		kept[i] = piece{id: id, known: true}
	}
	return kept
}

// keptPieces gives the bytes of a document's chunks; nil stands for one that
// cannot stay.
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

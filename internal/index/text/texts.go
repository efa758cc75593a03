package text

import (
	"encoding/binary"

	"obsidian-mcp/internal/text/pack"
)

// Texts encodes the part of a segment that holds the documents themselves. It is not safe for concurrent use.
type Texts struct {
	table, text, meta []byte

	packed, packedTable []byte // scratch
}

// NewTexts returns a builder with room for about size bytes of text. Memory that stays unused is not touched.
func NewTexts(size int) *Texts {
	return &Texts{text: make([]byte, 0, size+size/8), meta: make([]byte, 0, size/8)}
}

// docStride is the size of a document's record: the end offset of its text, then that of its meta shifted left by one bit,
// with the lowest bit set if the document is binary.
const docStride = 8

// Add appends a document. meta is the caller's data and is stored unchanged. Line searches skip binary documents.
func (t *Texts) Add(text, meta []byte, isBinary bool) {
	t.text = append(t.text, text...)
	t.meta = append(t.meta, meta...)
	t.table = appendDoc(t.table, uint32(len(t.text)), uint32(len(t.meta)), isBinary)
}

func appendDoc(table []byte, textEnd, metaEnd uint32, isBinary bool) []byte {
	table = binary.LittleEndian.AppendUint32(table, textEnd)
	return binary.LittleEndian.AppendUint32(table, metaEnd<<1|flag(isBinary))
}

func flag(isSet bool) uint32 {
	if isSet {
		return 1
	}
	return 0
}

// Len is the number of documents.
func (t *Texts) Len() int { return len(t.table) / docStride }

// Size is the size of all texts in bytes.
func (t *Texts) Size() int { return len(t.text) }

// Reset removes all documents but keeps the memory.
func (t *Texts) Reset() { t.table, t.text, t.meta = t.table[:0], t.text[:0], t.meta[:0] }

// Encode returns the bytes as consecutive parts. They are valid until the builder is used again.
func (t *Texts) Encode() [][]byte {
	return encodeSections([]uint32{uint32(t.Len())}, onePart(t.table), onePart(t.text), onePart(t.meta))
}

// EncodePacked is Encode with packed texts: OpenPacked reads them.
func (t *Texts) EncodePacked(packer *pack.Packer) [][]byte {
	segment := t.Segment()
	texts := make([][]byte, segment.docs)
	for doc := range texts {
		texts[doc] = segment.Text(doc)
	}
	packed, ends := packer.Append(t.packed[:0], texts)
	table := t.packedTable[:0]
	for doc, end := range ends {
		table = appendDoc(table, uint32(end), word(t.table, 2*doc+1)>>1, segment.Binary(doc))
	}
	t.packed, t.packedTable = packed, table
	return encodeSections([]uint32{uint32(segment.docs), flag(segment.odd())}, onePart(table), onePart(packed), onePart(t.meta))
}

// Segment returns the documents as a segment without words. It is valid until the builder is used again.
func (t *Texts) Segment() *Segment {
	return &Segment{docs: t.Len(), table: t.table, text: t.text, meta: t.meta}
}

package index

import (
	"bytes"
	"context"
	"slices"

	"obsidian-mcp/internal/note/vpath"
)

// New makes a snapshot of entries, all in memory.
func New(entries []*Entry, folders []vpath.Path) *Snapshot {
	return NewDivided(entries, folders, packedRoom)
}

// NewDivided is New with segments of about room bytes of text, which are merged as in a large vault.
func NewDivided(entries []*Entry, folders []vpath.Path, room int) *Snapshot {
	b := newBuilder(new(Memory))
	b.packed.room = room
	for _, entry := range entries {
		b.Add(entry)
	}
	s, err := b.Finish(context.Background(), folders)
	if err != nil {
		panic(err) // a Memory sink cannot fail
	}
	return s
}

// NewInSteps returns the snapshots before and after words are indexed, as built for a sink that is not in memory.
func NewInSteps(entries []*Entry, folders []vpath.Path) (early, whole *Snapshot) {
	b := newBuilder(&elsewhere{})
	for _, entry := range entries {
		b.Add(entry)
	}
	early, err := b.Texts(folders)
	if err == nil {
		whole, err = b.Words(context.Background())
	}
	if err != nil {
		panic(err) // such a sink cannot fail
	}
	return early, whole
}

// Elsewhere returns a sink whose texts are not packed.
func Elsewhere() Sink { return &elsewhere{} }

// elsewhere is a sink that Builder does not treat as in-memory.
type elsewhere struct{ Memory }

// Parts returns what a Builder makes for a small vault: each text, then the sections of tables and words.
func Parts(entries []*Entry, afterwards bool) [][]byte {
	sink := &elsewhere{}
	b := newBuilder(sink)
	if !afterwards {
		b = newBuilder(&sink.Memory)
	}
	for _, entry := range entries {
		b.Add(entry)
	}
	s, err := b.Finish(context.Background(), nil)
	if err != nil {
		panic(err) // such a sink cannot fail
	}
	var texts [][]byte
	for doc := range s.text.Docs() {
		s.text.Text(doc, func(text []byte, _ bool) { texts = append(texts, bytes.Clone(text)) })
	}
	if afterwards {
		return append(texts, sink.sections[1:]...)
	}
	return slices.Concat(texts, sink.sections[2:], sink.sections[1:2])
}

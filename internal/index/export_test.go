package index

import (
	"context"
	"slices"

	"obsidian-mcp/internal/note/vpath"
)

// New makes a snapshot of entries, all in memory.
func New(entries []*Entry, folders []vpath.Path) *Snapshot {
	b := newBuilder(new(Memory))
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

// elsewhere is a sink that Builder does not treat as in-memory.
type elsewhere struct{ Memory }

// Sections returns the sections that a Builder makes for a small vault: texts, tables, words.
func Sections(entries []*Entry, afterwards bool) [][]byte {
	sink := &elsewhere{}
	b := newBuilder(sink)
	if !afterwards {
		b = newBuilder(&sink.Memory)
	}
	for _, entry := range entries {
		b.Add(entry)
	}
	if _, err := b.Finish(context.Background(), nil); err != nil {
		panic(err) // such a sink cannot fail
	}
	if afterwards {
		return sink.sections
	}
	return slices.Concat(sink.sections[:1], sink.sections[2:], sink.sections[1:2])
}

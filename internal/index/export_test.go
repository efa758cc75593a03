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

// NewInSteps makes the snapshots of entries before and after their words are read, as a sink that is not in memory gets them.
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

// elsewhere is a sink that does not count as one in memory.
type elsewhere struct{ Memory }

// Sections are those that a builder makes of the entries of a small vault: its texts, the tables, its words.
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

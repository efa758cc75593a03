package index

import "obsidian-mcp/internal/note/vpath"

// New makes a snapshot of entries, all in memory.
func New(entries []*Entry, folders []vpath.Path) *Snapshot {
	b := newBuilder(new(Memory))
	for _, entry := range entries {
		b.Add(entry)
	}
	s, err := b.Finish(folders)
	if err != nil {
		panic(err) // a Memory sink cannot fail
	}
	return s
}

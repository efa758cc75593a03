package index

import (
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// Properties reads a note's properties from the block that the index keeps.
func (e *Entry) Properties() (*front.Block, error) { return front.Parse(md.Scan([]byte(e.Front))) }

// fields are a note's properties; none where they cannot be read.
func (e *Entry) fields() []front.Field {
	if e.Front == "" {
		return nil
	}
	return front.Fields(md.Scan([]byte(e.Front)))
}

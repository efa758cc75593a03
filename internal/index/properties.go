package index

import (
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// Properties parses a note's properties.
func (e *Entry) Properties() (*front.Block, error) { return front.Parse(md.Scan([]byte(e.Front))) }

// fields returns a note's properties, or nil if they cannot be parsed.
func (e *Entry) fields() []front.Field {
	if e.Front == "" {
		return nil
	}
	return front.Fields(md.Scan([]byte(e.Front)))
}

package index

import (
	"obsidian-mcp/internal/md"
	"obsidian-mcp/internal/md/front"
)

// Properties reads a note's properties from the block that the index keeps.
func (e *Entry) Properties() (*front.Block, error) { return front.Parse(md.Scan([]byte(e.Front))) }

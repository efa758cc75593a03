package edit

import (
	"slices"

	"obsidian-mcp/internal/note/md"
)

// way is how a link is written anew. A link that is right by itself can still
// be lost in the text around it: a backtick of its path pairs up with a stray
// one, a $ ends what now reads as math, or without the space that it had it
// becomes a part of the address before it. Then the next way is tried.
type way uint8

// The ways to write a link, as Obsidian does it first.
const (
	usual   way = iota
	plain       // by a path without marks, if one leads there
	encoded     // as a Markdown link, every mark percent-encoded
	spaced      // the same, with a space that ends whatever runs into it
)

// rewritten is a link that is written anew.
type rewritten struct {
	splices []md.Splice
	target  string // what it points at then: path and subpath, decoded
}

// writer decides what becomes of the links of one file.
type writer interface {
	// write gives the link as it is to be; false: it stays. What goes into
	// the source passes through quote, which in every way but the usual one
	// changes nothing.
	write(src []byte, link md.Link, target string, how way, quote func(string) string) (rewritten, bool)
}

// passage is a text that is scanned for links by itself: a note's body, a card
// of a canvas, the value of a property.
type passage struct {
	src    []byte
	links  []md.Link
	blocks []md.Block // which links could get into each other's way; nil: all of them
	scan   func(src []byte) []md.Link
}

// maxTries bounds how often a passage is written and scanned again. Blocks
// hardly ever meddle with each other, so that few tries are ever needed.
const maxTries = 12

// rewrite has the links written anew, and makes sure that a scan still finds
// every link of the passage. It tells the least usual way that was needed.
func (p *passage) rewrite(w writer) ([]md.Splice, way) {
	splices, targets := p.write(w, nil)
	if len(splices) == 0 {
		return nil, usual
	}
	lost := p.lost(splices, targets)
	best, fewest, needed := splices, len(lost), usual
	ways := make([]way, max(len(p.blocks), 1))
	for try := 1; len(lost) > 0 && try < maxTries && p.raise(ways, lost); try++ {
		splices, targets = p.write(w, ways)
		if lost = p.lost(splices, targets); len(lost) < fewest {
			best, fewest, needed = splices, len(lost), slices.Max(ways)
		}
	}
	return best, needed
}

// write has the links written in the ways of their blocks, and tells what all
// of the links point at then.
func (p *passage) write(w writer, ways []way) (splices []md.Splice, targets []string) {
	how := usual
	for _, link := range p.links {
		if ways != nil {
			how = ways[p.block(link)]
		}
		target := link.Target(p.src)
		if changed, ok := w.write(p.src, link, target, how, keepText); ok {
			splices = append(splices, changed.splices...)
			target = changed.target
		}
		targets = append(targets, target)
	}
	slices.SortStableFunc(splices, func(a, b md.Splice) int { return a.Start - b.Start })
	return splices, targets
}

func keepText(text string) string { return text }

// lost are the links that are not found where they should be, by their index,
// and those next to where one is found that should not be.
func (p *passage) lost(splices []md.Splice, targets []string) []int {
	changed := md.Apply(p.src, splices)
	found := p.scan(changed)
	var lost []int
	shift := 0
	for i, link := range p.links {
		for len(splices) > 0 && splices[0].End <= link.Start {
			shift += len(splices[0].Text) - splices[0].Len()
			splices = splices[1:]
		}
		before := 0
		for before < len(found) && found[before].Start < link.Start+shift {
			before++
		}
		found = found[before:]
		isThere := len(found) > 0 && found[0].Start == link.Start+shift && found[0].Target(changed) == targets[i]
		if before > 0 || !isThere {
			lost = append(lost, i)
		}
		if isThere {
			found = found[1:]
		}
	}
	if len(found) > 0 && len(lost) == 0 {
		lost = append(lost, len(p.links)-1)
	}
	return lost
}

// raise has the links of blocks that lost some written in the next way; where
// that is no help, all of them in the last. It is false when none is left.
func (p *passage) raise(ways []way, lost []int) bool {
	raised := false
	done := -1
	for _, i := range lost {
		if at := p.block(p.links[i]); at != done && ways[at] < spaced {
			ways[at]++
			raised, done = true, at
		}
	}
	if raised {
		return true
	}
	for i := range ways {
		raised = raised || ways[i] < spaced
		ways[i] = spaced
	}
	return raised
}

// block is the index of the block that holds a link.
func (p *passage) block(link md.Link) int {
	next, _ := slices.BinarySearchFunc(p.blocks, link.Start+1, func(block md.Block, at int) int { return block.Start - at })
	return max(next-1, 0)
}

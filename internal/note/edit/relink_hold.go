package edit

import (
	"slices"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/order"
)

// linkForm is a form in which to write a link. A link that is correct on its own can still be lost in the surrounding
// text: a backtick in its path pairs up with a stray one, a $ ends what has become math, or without its space the link
// merges with the address before it. Then the next form is tried.
type linkForm uint8

// The forms of a link, in the order in which they are tried.
const (
	usual   linkForm = iota // as Obsidian writes it
	plain                   // with a path that contains no marks, if there is one
	encoded                 // as a Markdown link with all marks percent-encoded
	spaced                  // the same, with a space before the destination to end whatever runs into it
)

// rewritten is a rewritten link.
type rewritten struct {
	splices []md.Splice
	target  string // its new path and subpath, decoded
	gone    bool   // it is not a link any more
}

// rewriter decides how to rewrite the links of one file.
type rewriter interface {
	// rewrite returns the new form of a link, or false if the link stays. It passes text for the source through quote,
	// which changes nothing except in the usual form.
	rewrite(src []byte, link md.Link, target string, form linkForm, quote func(string) string) (rewritten, bool)
}

// passage is a text that is scanned for links on its own: the body of a note, a card of a canvas, the value of a property.
type passage struct {
	src    []byte
	links  []md.Link
	blocks []md.Block // only links in the same block affect each other; nil means that all links may
	scan   func(src []byte) []md.Link
}

// maxTries bounds how often a passage is rewritten and scanned. Blocks hardly ever affect each other, so few tries are
// needed.
const maxTries = 12

// rewrite rewrites the links and ensures that a scan still finds every link of the passage. It also returns the least
// usual form that it needed.
func (p *passage) rewrite(w rewriter) ([]md.Splice, linkForm) {
	splices, links := p.rewriteAll(w, nil)
	if len(splices) == 0 {
		return nil, usual
	}
	lost := p.lost(splices, links)
	best, fewest, needed := splices, len(lost), usual
	forms := make([]linkForm, max(len(p.blocks), 1))
	for try := 1; len(lost) > 0 && try < maxTries && p.raise(forms, lost); try++ {
		splices, links = p.rewriteAll(w, forms)
		if lost = p.lost(splices, links); len(lost) < fewest {
			best, fewest, needed = splices, len(lost), slices.Max(forms)
		}
	}
	return best, needed
}

// rewriteAll rewrites the links in the forms of their blocks and returns what becomes of all links.
func (p *passage) rewriteAll(w rewriter, forms []linkForm) (splices []md.Splice, links []rewritten) {
	form := usual
	for _, link := range p.links {
		if forms != nil {
			form = forms[p.block(link)]
		}
		target := link.Target(p.src)
		changed, ok := w.rewrite(p.src, link, target, form, keepText)
		if !ok {
			changed = rewritten{target: target}
		}
		splices = append(splices, changed.splices...)
		links = append(links, changed)
	}
	order.Stably(splices, func(a, b md.Splice) int { return a.Start - b.Start })
	return splices, links
}

func keepText(text string) string { return text }

// lost returns the indexes of the links that a scan no longer finds, and of those next to an unexpected link.
func (p *passage) lost(splices []md.Splice, links []rewritten) []int {
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
		exists := len(found) > 0 && found[0].Start == link.Start+shift && !links[i].gone &&
			found[0].Target(changed) == links[i].target
		if before > 0 || !exists && !links[i].gone {
			lost = append(lost, i)
		}
		if exists {
			found = found[1:]
		}
	}
	if len(found) > 0 && len(lost) == 0 {
		lost = append(lost, len(p.links)-1)
	}
	return lost
}

// raise moves the blocks with lost links to the next form, or all blocks to the last form if those are there already. It
// returns false if no form is left to try.
func (p *passage) raise(forms []linkForm, lost []int) bool {
	raised := false
	done := -1
	for _, i := range lost {
		if at := p.block(p.links[i]); at != done && forms[at] < spaced {
			forms[at]++
			raised, done = true, at
		}
	}
	if raised {
		return true
	}
	for i := range forms {
		raised = raised || forms[i] < spaced
		forms[i] = spaced
	}
	return raised
}

// block returns the index of the block that contains a link.
func (p *passage) block(link md.Link) int {
	next, _ := slices.BinarySearchFunc(p.blocks, link.Start+1, func(block md.Block, at int) int {
		return block.Start - at
	})
	return max(next-1, 0)
}

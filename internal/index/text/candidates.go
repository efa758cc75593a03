package text

import (
	"runtime"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/regex"
)

// Candidates returns the documents that may satisfy a formula over literals: all that do, and some that do not.
func (x *Index) Candidates(need regex.Need) Set {
	found := slices.Clone(x.Live())
	if narrowed := x.narrow(need); narrowed != nil {
		found.And(narrowed)
	}
	return found
}

// narrow returns the documents that may satisfy a formula, or nil if the formula excludes none.
func (x *Index) narrow(need regex.Need) Set {
	switch need.Kind {
	case regex.NeedLiteral:
		return x.containing(need.Literal)
	case regex.NeedAll:
		var all Set
		for _, sub := range need.Subs {
			if docs := x.narrow(sub); docs == nil {
				continue
			} else if all == nil {
				all = docs
			} else {
				all.And(docs)
			}
		}
		return all
	case regex.NeedAny:
		some := NewSet(x.docs)
		for _, sub := range need.Subs {
			docs := x.narrow(sub)
			if docs == nil {
				return nil
			}
			some.Or(docs)
		}
		return some
	}
	return nil
}

// containing returns the documents that have the tokens of a literal, or nil if no token can be looked up.
func (x *Index) containing(literal string) Set {
	if !x.hasWords {
		return nil
	}
	runs := runsOf(fold.String(trimEdges(literal)), false)
	found := NewSet(x.docs)
	lookedUp := false
	for _, p := range x.parts {
		segment := p.batch.segment()
		local, _ := segment.candidates(runs)
		if local == nil {
			continue
		}
		lookedUp = true
		for doc := range local.All() {
			found.Add(p.first + doc)
		}
		runtime.KeepAlive(segment)
	}
	if !lookedUp {
		return nil
	}
	return found
}

// trimEdges drops characters at the edges of a literal that combine with a neighbour, or that a mark next to them
// may turn into another character.
func trimEdges(literal string) string {
	for literal != "" {
		r, size := utf8.DecodeRuneInString(literal)
		if r < utf8.RuneSelf || fold.Kind(r) == fold.CJK && !joinsBefore(r) {
			break
		}
		literal = literal[size:]
		if !joinsBefore(r) {
			break
		}
	}
	for literal != "" {
		r, size := utf8.DecodeLastRuneInString(literal)
		if r < utf8.RuneSelf {
			break
		}
		literal = literal[:len(literal)-size]
		if !joinsBefore(r) {
			break
		}
	}
	return literal
}

package text

import (
	"runtime"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/regex"
)

// Candidates are the documents that may satisfy a formula over literals: all
// that do, and some that do not.
func (x *Index) Candidates(need regex.Need) Set {
	found := slices.Clone(x.Live())
	if narrowed := x.narrow(need); narrowed != nil {
		found.And(narrowed)
	}
	return found
}

// narrow gives the documents for a formula; nil where it says nothing.
func (x *Index) narrow(need regex.Need) Set {
	switch need.Kind {
	case regex.NeedLiteral:
		return x.containing(need.Literal)
	case regex.NeedAll:
		var all Set
		for _, sub := range need.Subs {
			if one := x.narrow(sub); one == nil {
				continue
			} else if all == nil {
				all = one
			} else {
				all.And(one)
			}
		}
		return all
	case regex.NeedAny:
		some := NewSet(x.docs)
		for _, sub := range need.Subs {
			one := x.narrow(sub)
			if one == nil {
				return nil
			}
			some.Or(one)
		}
		return some
	}
	return nil
}

// containing gives the documents that have the tokens of a literal; nil where
// it has none that could be looked up.
func (x *Index) containing(literal string) Set {
	runs := runsOf(fold.String(trimEdges(literal)), false)
	found := NewSet(x.docs)
	told := false
	for _, p := range x.parts {
		segment := p.get()
		local, _ := segment.candidates(runs)
		if local == nil {
			continue
		}
		told = true
		for doc := range local.All() {
			found.Add(p.first + doc)
		}
		runtime.KeepAlive(segment)
	}
	if !told {
		return nil
	}
	return found
}

// trimEdges leaves out characters at the edges of a literal that belong to
// those beside them, or that a mark beside them may turn into others.
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

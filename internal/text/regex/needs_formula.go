package regex

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// oneOf says that the text contains one of the literals. Where one of many is
// a single byte, that says nothing worth knowing.
func oneOf(literals []literal) Need {
	subs := make([]Need, len(literals))
	for i, l := range literals {
		if l.text == "" || len(l.text) < 2 && len(literals) > 1 {
			return Need{}
		}
		subs[i] = Need{Kind: NeedLiteral, Literal: cutLiteral(l.text), Fold: l.fold}
	}
	return anyOf(subs)
}

// cutLiteral keeps what of a long literal may be told, in whole characters.
func cutLiteral(text string) string {
	if len(text) <= maxLiteral {
		return text
	}
	n := maxLiteral
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// anyOf is a disjunction, without the parts that others make needless.
func anyOf(subs []Need) Need {
	var flat []Need
	for _, sub := range subs {
		switch sub.Kind {
		case NeedAnything:
			return Need{}
		case NeedAny:
			flat = append(flat, sub.Subs...)
		default:
			flat = append(flat, sub)
		}
	}
	if len(flat) > maxLiterals {
		return Need{}
	}
	return combine(NeedAny, without(flat, func(a, b Need) bool { return implies(a, b) }))
}

// allOf is a conjunction, without the parts that others make needless.
func allOf(subs []Need) Need {
	var flat []Need
	for _, sub := range subs {
		switch sub.Kind {
		case NeedAnything:
		case NeedAll:
			flat = append(flat, sub.Subs...)
		default:
			flat = append(flat, sub)
		}
	}
	if len(flat) > maxLiterals {
		slices.SortStableFunc(flat, func(a, b Need) int { return cmp.Compare(b.weight(), a.weight()) })
		flat = flat[:maxLiterals]
	}
	return combine(NeedAll, without(flat, func(a, b Need) bool { return implies(b, a) }))
}

func combine(kind NeedKind, subs []Need) Need {
	switch len(subs) {
	case 0:
		return Need{}
	case 1:
		return subs[0]
	}
	return Need{Kind: kind, Subs: subs}
}

// without leaves out each part that another one makes needless. Of two that
// do so to each other, the first stays.
func without(subs []Need, needless func(a, b Need) bool) []Need {
	var kept []Need
	for i, a := range subs {
		drop := false
		for j, b := range subs {
			if i != j && needless(a, b) && (j < i || !needless(b, a)) {
				drop = true
				break
			}
		}
		if !drop {
			kept = append(kept, a)
		}
	}
	return kept
}

// implies reports whether b is true wherever a is, as far as two literals
// show.
func implies(a, b Need) bool {
	if a.Kind != NeedLiteral || b.Kind != NeedLiteral || a.Fold && !b.Fold {
		return false
	}
	text := a.Literal
	if b.Fold && !a.Fold {
		text = folded(text)
	}
	return strings.Contains(text, b.Literal)
}

// weight is how much a formula narrows a search, roughly: the length of the
// literal that is certain.
func (n Need) weight() int {
	switch n.Kind {
	case NeedLiteral:
		return len(n.Literal)
	case NeedAny:
		least := maxLiteral
		for _, sub := range n.Subs {
			least = min(least, sub.weight())
		}
		return least
	case NeedAll:
		most := 0
		for _, sub := range n.Subs {
			most = max(most, sub.weight())
		}
		return most
	}
	return 0
}

// count is how many literals there are.
func (n Need) count() int {
	if n.Kind == NeedLiteral {
		return 1
	}
	total := 0
	for _, sub := range n.Subs {
		total += sub.count()
	}
	return total
}

// limited is a formula that is weaker, if need be, and not too large.
func limited(n Need) Need {
	if n.count() <= maxLiterals {
		return n
	}
	if n.Kind != NeedAll {
		return Need{}
	}
	subs := slices.Clone(n.Subs)
	slices.SortStableFunc(subs, func(a, b Need) int { return cmp.Compare(b.weight(), a.weight()) })
	var kept []Need
	total := 0
	for _, sub := range subs {
		if total+sub.count() <= maxLiterals {
			kept = append(kept, sub)
			total += sub.count()
		}
	}
	return combine(NeedAll, kept)
}

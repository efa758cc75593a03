package regex

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/text/order"
)

// oneOf says that the text contains one of the literals. If one of several is a single byte, that says nothing
// useful.
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

// cutLiteral shortens a literal that is too long, without splitting a character.
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

// anyOf is a disjunction, without redundant parts.
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
	return combine(NeedAny, withoutRedundant(flat, implies))
}

// allOf is a conjunction, without redundant parts.
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
		order.Stably(flat, func(a, b Need) int { return cmp.Compare(b.weight(), a.weight()) })
		flat = flat[:maxLiterals]
	}
	return combine(NeedAll, withoutRedundant(flat, func(a, b Need) bool { return implies(b, a) }))
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

// withoutRedundant drops each part a for which another part b makes it redundant. Of two parts that make each other
// redundant, the first stays.
func withoutRedundant(subs []Need, redundant func(a, b Need) bool) []Need {
	var rest []Need
	for i, a := range subs {
		drop := false
		for j, b := range subs {
			if i != j && redundant(a, b) && (j < i || !redundant(b, a)) {
				drop = true
				break
			}
		}
		if !drop {
			rest = append(rest, a)
		}
	}
	return rest
}

// implies reports whether b is true wherever a is, as far as two literals can show.
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

// weight estimates how much a formula narrows a search: the length of the literal that is certain.
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

// count returns the number of literals.
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

// limited returns a formula that is small enough and, if necessary, weaker.
func limited(n Need) Need {
	if n.count() <= maxLiterals {
		return n
	}
	if n.Kind != NeedAll {
		return Need{}
	}
	subs := slices.Clone(n.Subs)
	order.Stably(subs, func(a, b Need) int { return cmp.Compare(b.weight(), a.weight()) })
	var heaviest []Need
	total := 0
	for _, sub := range subs {
		if total+sub.count() <= maxLiterals {
			heaviest = append(heaviest, sub)
			total += sub.count()
		}
	}
	return combine(NeedAll, heaviest)
}

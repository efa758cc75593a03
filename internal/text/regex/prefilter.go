package regex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// prefilter finds where in a text a match may be, by bytes that are rare in texts. Every match contains one of its
// needles.
type prefilter struct {
	needles []needle
	exact   bool // the pattern is a single needle and nothing else
	stop    int  // how many bytes can be read in the time of a stop
}

// needle is a literal that is searched for by one of its bytes.
type needle struct {
	text string
	fold bool
	at   int  // offset of the byte in text; unknownOffset if folding may change lengths
	low  byte // the byte
	high byte // the byte in the other case, or the same
}

const unknownOffset = -1

// maxNeedles bounds how many bytes are searched for at once.
const maxNeedles = 4

// newPrefilter chooses needles from what a pattern needs. It returns nil if none is worth searching for.
func newPrefilter(tree *node, need Need, p *program) *prefilter {
	best, cost := []needle(nil), worthLookingFor
	options := []Need{need}
	if need.Kind == NeedAll {
		options = need.Subs
	}
	for _, option := range options {
		if needles, c := needlesOf(option); c < cost {
			best, cost = needles, c
		}
	}
	if best == nil {
		return nil
	}
	f := &prefilter{needles: best, stop: stopCost}
	f.exact = len(best) == 1 && !best[0].fold && isLiteral(tree, best[0].text)
	if p.columns.decode {
		f.stop = decodedStopCost
	}
	return f
}

// worthLookingFor is the highest share of bytes, per hundred thousand, at which stopping pays.
const worthLookingFor = 6000

// needlesOf returns the needles of a literal or of alternatives, and how often they cause a stop.
func needlesOf(need Need) (needles []needle, cost int) {
	subs := need.Subs
	switch {
	case need.Kind == NeedLiteral:
		subs = []Need{need}
	case need.Kind != NeedAny || len(subs) > maxNeedles:
		return nil, worthLookingFor
	}
	for _, sub := range subs {
		if sub.Kind != NeedLiteral {
			return nil, worthLookingFor
		}
		n, c := newNeedle(sub.Literal, sub.Fold)
		cost += c
		needles = append(needles, n)
	}
	return needles, cost
}

// newNeedle chooses the rarest byte of a literal.
func newNeedle(text string, fold bool) (n needle, cost int) {
	n, cost = needle{text: text, fold: fold}, worthLookingFor
	for i := range len(text) {
		low := text[i]
		high, ok := otherCase(low, fold)
		if !ok {
			continue
		}
		c := commonness(low)
		if high != low {
			c += commonness(high)
		}
		if c < cost {
			n.at, n.low, n.high, cost = i, low, high, c
		}
	}
	if fold && strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf || r == 'k' || r == 's' }) {
		n.at = unknownOffset
	}
	return n, cost
}

// otherCase returns the only other byte that equals a byte under folding, if there is just one.
func otherCase(b byte, fold bool) (other byte, ok bool) {
	switch {
	case !fold:
		return b, true
	case b >= utf8.RuneSelf || b == 'k' || b == 's':
		return 0, false
	}
	return byte(unicode.ToUpper(rune(b))), true
}

// fits reports whether the needle may be where its byte is.
func (n *needle) fits(text []byte, at int) bool {
	if n.at == unknownOffset {
		return true
	}
	from := at - n.at
	if from < 0 || from+len(n.text) > len(text) {
		return false
	}
	if !n.fold {
		return string(text[from:from+len(n.text)]) == n.text
	}
	for i, c := range text[from : from+len(n.text)] {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != n.text[i] {
			return false
		}
	}
	return true
}

// isLiteral reports whether a pattern is exactly this text.
func isLiteral(n *node, text string) bool {
	var spelled strings.Builder
	return n.spell(&spelled) && spelled.String() == text
}

func (n *node) spell(to *strings.Builder) bool {
	switch n.kind {
	case nodeClass:
		if n.set.size() != 1 {
			return false
		}
		to.WriteRune(n.set[0].lo)
		return true
	case nodeConcat, nodeCapture, nodeEmpty:
		for _, sub := range n.subs {
			if !sub.spell(to) {
				return false
			}
		}
		return true
	}
	return false
}

// commonness estimates how many of a hundred thousand bytes of notes are this byte.
func commonness(b byte) int { return int(byteShare[b]) }

var byteShare = func() (share [256]uint16) {
	for b := range share {
		switch {
		case b >= 0xf0 || b == 0xc0 || b == 0xc1:
			share[b] = 20
		case b >= utf8.RuneSelf:
			share[b] = 900
		case b < ' ':
			share[b] = 5
		default:
			share[b] = 150
		}
	}
	const letters = "etaoinsrhldcumfpgwybvkxjqz"
	shares := [...]uint16{9000, 6500, 6000, 5500, 5200, 5200, 4800, 4600, 3500, 3200, 2900, 2300, 2200, 1900,
		1600, 1600, 1500, 1300, 1300, 1200, 750, 550, 150, 120, 80, 70}
	for i, letter := range []byte(letters) {
		share[letter] = shares[i]
		share[letter-'a'+'A'] = shares[i]/30 + 40
	}
	for b, n := range map[byte]uint16{' ': 14000, '\n': 2500, '\r': 2500, '.': 900, ',': 900, '-': 900, '0': 600, '1': 600,
		'2': 600, '#': 500, '[': 600, ']': 600, '*': 400, '_': 300, ':': 500, '/': 400, '|': 300} {
		share[b] = n
	}
	return share
}()

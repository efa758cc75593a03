package regex

import "unicode/utf8"

// simulate is run without a table: it moves the set of states over each byte
// anew. Patterns that meet hardly any set twice are read this way.
func (m *Matcher) simulate(text []byte, at int, state uint32) (int, uint32) {
	d := m.dfa
	now, spare := append(m.spare[0][:0], d.setOf(state)...), m.spare[1]
	before := d.before[state/d.stride]
	reader := columnReader{columns: &d.columns}
	for ; at < len(text); at++ {
		d.meter.bytes++
		if !m.mayGoOn() {
			return len(text), nextLine
		}
		to, after, found := d.step(spare[:0], now, before, reader.column(text, at))
		now, spare, before = to, now, after
		if found {
			m.spare = [2][]uint32{now, spare}
			return at, matched
		}
	}
	m.spare = [2][]uint32{now, spare}
	if d.full() {
		m.flush(&m.lanes[0].state)
	}
	return at, d.state(now, before)
}

// columnReader finds the columns of the bytes of a text, one after the other
// from the start of a character on.
type columnReader struct {
	*columns
	left int // bytes of the character that was begun
}

func (r *columnReader) column(text []byte, at int) int {
	c := text[at]
	if !r.decode || c < utf8.RuneSelf {
		return int(r.of[c])
	}
	return int(r.wide[c]) + int(r.kind(text, at))
}

// kind is the neighbor that the byte is for the place before it.
func (r *columnReader) kind(text []byte, at int) neighbor {
	c := text[at]
	switch {
	case c < utf8.RuneSelf:
		return besideByte(c)
	case !r.decode:
		return besideOther
	case r.left > 0:
		r.left--
		return besideMiddle
	}
	kind, size := besideAt(text, at)
	r.left = size - 1
	return kind
}

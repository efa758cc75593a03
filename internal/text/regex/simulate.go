package regex

import "unicode/utf8"

// simulate is run without a table: for each byte it computes the next set of states. It serves patterns that hardly
// ever meet the same set twice.
func (m *Matcher) simulate(text []byte, at int, state uint32) (int, uint32) {
	d := m.dfa
	now, spare := append(m.spare[0][:0], d.setOf(state)...), m.spare[1]
	before := d.before[state/d.stride]
	reader := columnReader{columns: d.columns}
	for ; at < len(text); at++ {
		d.stepper.meter.bytes++
		if !m.mayGoOn() {
			return len(text), nextLine
		}
		to, after, found := d.stepper.step(spare[:0], now, before, reader.column(text, at))
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

// columnReader finds the columns of the bytes of a text, in order from the start of a character.
type columnReader struct {
	columns *columns
	left    int // remaining bytes of the current character
}

func (r *columnReader) column(text []byte, at int) int {
	c := text[at]
	if !r.columns.decode || c < utf8.RuneSelf {
		return int(r.columns.of[c])
	}
	return int(r.columns.wide[c]) + int(r.kind(text, at))
}

// kind returns the kind of neighbor that a byte is for the position before it.
func (r *columnReader) kind(text []byte, at int) neighbor {
	c := text[at]
	switch {
	case c < utf8.RuneSelf:
		return besideByte(c)
	case !r.columns.decode:
		return besideOther
	case r.left > 0:
		r.left--
		return besideMiddle
	}
	kind, size := besideAt(text, at)
	r.left = size - 1
	return kind
}

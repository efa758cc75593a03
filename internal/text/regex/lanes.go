package regex

import "unicode/utf8"

// A table automaton waits at each byte for the entry of the byte before. Text is therefore read in four lanes at
// once, which takes hardly longer than one: each lane is a part of the text, cut between lines.

const (
	lanes   = 4
	laneMin = 256      // bytes per lane; below that, a single lane is enough
	laneMax = 32 << 10 // bytes per lane; above that, results come too late
)

// lane is a part of the text, and how far it has been read.
type lane struct {
	text  []byte // to the end of the part
	at    int
	state uint32
	over  bool // the result of the last line is known
	found []lineSpan
}

// inLanes reads the lines of a text from an offset on, all of them before the first is yielded. It returns false if
// yield did.
func (m *Matcher) inLanes(text []byte, at int, yield func(start, end int) bool) bool {
	m.cut(text, at)
	for !m.dfa.slow && m.mayGoOn() && m.stepAll() {
	}
	for i := range m.lanes {
		l := &m.lanes[i]
		m.finish(l)
		for _, line := range l.found {
			if !yield(line.start, line.end) {
				return false
			}
		}
	}
	return true
}

// cut divides the text into lanes.
func (m *Matcher) cut(text []byte, at int) {
	part := (len(text) - at) / lanes
	for i := range m.lanes {
		l := &m.lanes[i]
		l.at, l.state, l.over, l.found = at, m.dfa.start, at == len(text), l.found[:0]
		end := len(text)
		if i < lanes-1 && at+part < len(text) {
			end = min(lineEnd(text, at+part)+1, len(text))
		}
		l.text = text[:end]
		at = end
	}
}

// stepAll reads in all lanes until one of them needs attention, and attends to it. It reports whether all lanes
// have more.
func (m *Matcher) stepAll() bool {
	a, b, c, e := &m.lanes[0], &m.lanes[1], &m.lanes[2], &m.lanes[3]
	n := min(len(a.text)-a.at, len(b.text)-b.at, len(c.text)-c.at, len(e.text)-e.at)
	if n <= 0 {
		return false
	}
	d := m.dfa
	states, n := d.glideFour(a.text[a.at:a.at+n], b.text[b.at:], c.text[c.at:], e.text[e.at:],
		[lanes]uint32{a.state, b.state, c.state, e.state})
	d.read += lanes * n
	d.stepper.meter.bytes += lanes * n
	for i := range m.lanes {
		m.lanes[i].at += n
		m.lanes[i].state = states[i]
	}
	return m.attend()
}

// glideFour is glide in four lanes, the first of which is the shortest.
func (d *dfa) glideFour(a, b, c, e []byte, states [lanes]uint32) ([lanes]uint32, int) {
	table, of := d.table, &d.columns.of
	b, c, e = b[:len(a)], c[:len(a)], e[:len(a)]
	s0, s1, s2, s3 := states[0], states[1], states[2], states[3]
	for i := range a {
		n0 := table[s0+uint32(of[a[i]])]
		n1 := table[s1+uint32(of[b[i]])]
		n2 := table[s2+uint32(of[c[i]])]
		n3 := table[s3+uint32(of[e[i]])]
		if (n0|n1|n2|n3)&special != 0 {
			return [lanes]uint32{s0, s1, s2, s3}, i
		}
		s0, s1, s2, s3 = n0, n1, n2, n3
	}
	return [lanes]uint32{s0, s1, s2, s3}, len(a)
}

// attend handles the next byte of each lane; for at least one of them the table has no state. It reports whether
// all lanes have more.
func (m *Matcher) attend() bool {
	if m.dfa.full() {
		m.flush(&m.lanes[0].state)
	}
	more := true
	for i := range m.lanes {
		l := &m.lanes[i]
		if l.at < len(l.text) {
			m.attendLane(l)
		}
		more = more && l.at < len(l.text)
	}
	return more
}

// attendLane handles the next byte of a lane, and all characters up to the next that need not be decoded, because
// such characters come in runs.
func (m *Matcher) attendLane(l *lane) {
	d := m.dfa
	for more := true; more && l.at < len(l.text); d.stepper.meter.bytes++ {
		next, size := d.move(l.state, d.columns.of[l.text[l.at]]), 1
		if more = next == decode; more {
			next, size = d.decoded(l.state, l.text, l.at)
		}
		switch next {
		case matched:
			l.add(d.start)
		case nextLine:
			l.skip(d.start)
		default:
			l.at, l.state = l.at+size, next
		}
		more = more && l.at < len(l.text) && l.text[l.at] >= utf8.RuneSelf && !d.stepper.meter.due() && !d.full()
	}
}

// add records the current line as a match and moves to the next.
func (l *lane) add(start uint32) {
	l.found = append(l.found, lineSpan{lineStart(l.text, l.at), lineEnd(l.text, l.at)})
	l.skip(start)
}

// skip moves to the next line.
func (l *lane) skip(start uint32) {
	end := lineEnd(l.text, l.at)
	l.over = end == len(l.text)
	l.at, l.state = min(end+1, len(l.text)), start
}

// finish reads the rest of a lane by itself.
func (m *Matcher) finish(l *lane) {
	for l.at < len(l.text) {
		at, state := m.run(l.text, l.at, l.state)
		switch l.at = at; state {
		case matched:
			l.add(m.dfa.start)
		case nextLine:
			l.over = true
		default:
			l.state = state
		}
	}
	if n := len(l.text); !l.over && n > 0 && l.text[n-1] != '\n' && m.dfa.endsWell(l.state) {
		l.found = append(l.found, lineSpan{lineStart(l.text, n), n})
	}
}

package regex

import "bytes"

// Matcher reads text for one goroutine. What it learns of the pattern while
// it reads makes it faster, and no text changes its answers.
type Matcher struct {
	regex *Regex
	dfa   *dfa
	lanes [lanes]lane

	spare [2][]uint32 // sets of a simulation
	hunt  hunt

	stopped bool // by the limit: nothing matches any more
}

// lineSpan is a line of the text, without its line feed.
type lineSpan struct{ start, end int }

// Match reports whether there is a match anywhere in the text. A Ripgrep
// pattern still sees it line by line.
func (m *Matcher) Match(text []byte) bool {
	if m.hunt.worthwhile(m.regex.filter) {
		m.hunt.begin(m.regex.filter, text)
		if m.hunt.next(0) < 0 {
			return false
		}
	}
	_, found := m.scan(text)
	return found
}

// scan reads from the start of a line to the first place where a match is
// certain: at that byte, or the end of the text.
func (m *Matcher) scan(text []byte) (at int, found bool) {
	d := m.dfa
	if d.start == matched {
		return 0, true
	}
	at, state := m.run(text, 0, d.start)
	return at, state == matched || state < special && d.endsWell(state)
}

// run reads on from a state until there is a match or no more text. It
// returns the byte that made the match certain, and the state: matched,
// nextLine if the last line cannot match, or one that may end well. When it is
// stopped, the rest of the text cannot match.
func (m *Matcher) run(text []byte, at int, state uint32) (int, uint32) {
	d := m.dfa
	for at < len(text) {
		if !m.mayGoOn() {
			return len(text), nextLine
		}
		if d.slow {
			return m.simulate(text, at, state)
		}
		part := text[:min(at+lookEvery, len(text))]
		from := at
		at, state = d.glide(part, at, state)
		d.read += at - from
		d.meter.bytes += at + 1 - from
		if at == len(part) {
			continue
		}
		var next uint32
		if at, next = m.stop(text, at, &state); next == matched {
			return at, matched
		}
		state = next
	}
	return at, state
}

// glide reads while the table knows the way.
func (d *dfa) glide(text []byte, at int, state uint32) (int, uint32) {
	table, of := d.table, &d.columns.of
	for i, c := range text[at:] {
		next := table[state+uint32(of[c])]
		if next >= special {
			return at + i, state
		}
		state = next
	}
	return len(text), state
}

// stop deals with a byte that the table has no state for. It returns the
// state after it and where to read on: past the byte, its character or its
// line. If there is a match it is at that byte.
func (m *Matcher) stop(text []byte, at int, state *uint32) (int, uint32) {
	d := m.dfa
	if d.full() {
		m.flush(state)
	}
	column := d.columns.of[text[at]]
	next, size := d.move(*state, column), 1
	if next == decode {
		next, size = d.decoded(*state, text, at)
	}
	switch next {
	case matched:
		return at, matched
	case nextLine:
		if end := lineEnd(text, at); end < len(text) {
			return end + 1, d.start
		}
		return len(text), nextLine
	}
	return at + size, next
}

// flush empties the table, but for the given state and those of the lanes.
func (m *Matcher) flush(state *uint32) {
	m.dfa.flush(state, &m.lanes[0].state, &m.lanes[1].state, &m.lanes[2].state, &m.lanes[3].state)
}

// Lines gives every line that matches, in order and without its line feed,
// until yield returns false. A line feed at the end of the text begins no
// further line. A JavaScript pattern sees each line by itself.
func (m *Matcher) Lines(text []byte, yield func(start, end int) bool) {
	switch {
	case m.regex.dialect == JavaScript, m.dfa.start == matched:
		m.eachLine(text, yield)
	case m.hunt.worthwhile(m.regex.filter):
		m.huntLines(text, yield)
	default:
		m.allLines(text, 0, yield)
	}
}

// eachLine asks line by line.
func (m *Matcher) eachLine(text []byte, yield func(start, end int) bool) {
	for at := 0; at < len(text) && !m.stopped; {
		end := lineEnd(text, at)
		if _, found := m.scan(text[at:end]); found && !yield(at, end) {
			return
		}
		at = end + 1
	}
}

// lineEnd is where the line that has the byte at a place ends.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// lineStart is where the line that has the byte at a place begins.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// allLines reads all lines from the one that begins at a place on.
func (m *Matcher) allLines(text []byte, at int, yield func(start, end int) bool) {
	for at < len(text) && len(text)-at >= lanes*laneMin && !m.dfa.slow {
		window := text[:min(at+lanes*laneMax, len(text))]
		if len(window) < len(text) {
			if window = window[:lineStart(window, len(window))]; len(window) <= at {
				break
			}
		}
		if !m.inLanes(window, at, yield) {
			return
		}
		at = len(window)
	}
	m.oneByOne(text, at, len(text), func(line lineSpan) bool { return yield(line.start, line.end) })
}

// oneByOne reads the lines from one place to another, both at the start of a
// line or the end of the text. It reports whether there was no end to it.
func (m *Matcher) oneByOne(text []byte, at, end int, yield func(lineSpan) bool) bool {
	text = text[:end]
	for at < end {
		place, state := m.run(text, at, m.dfa.start)
		if state != matched {
			if text[end-1] != '\n' && state < special && m.dfa.endsWell(state) {
				return yield(lineSpan{max(at, lineStart(text, end)), end})
			}
			return true
		}
		line := lineSpan{lineStart(text, place), lineEnd(text, place)}
		if !yield(line) {
			return false
		}
		at = line.end + 1
	}
	return true
}

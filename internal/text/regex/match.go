package regex

import "bytes"

// Matcher reads text for a single goroutine. What it learns about the pattern makes it faster; it does not change
// its answers.
type Matcher struct {
	regex *Regex
	dfa   *dfa
	lanes [lanes]lane

	spare [2][]uint32 // sets for the simulation
	hunt  hunt

	stopped bool // by the limit: nothing matches from then on
}

// lineSpan is a line of the text, without its line feed.
type lineSpan struct{ start, end int }

// Match reports whether there is a match anywhere in the text. A Ripgrep pattern still matches line by line.
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

// scan reads from the start of a line to the first offset where a match is certain: at that byte, or at the end of
// the text.
func (m *Matcher) scan(text []byte) (at int, found bool) {
	d := m.dfa
	if d.start == matched {
		return 0, true
	}
	at, state := m.run(text, 0, d.start)
	return at, state == matched || state < special && d.endsWell(state)
}

// run reads from a state until there is a match or the text ends. It returns the offset of the byte that made the
// match certain, and the state: matched, nextLine if the last line cannot match, or one for which endsWell decides.
// If the limit stops it, the rest of the text counts as not matching.
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
		d.stepper.meter.bytes += at + 1 - from
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

// glide reads as long as the table has the next state.
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

// stop handles a byte for which the table has no state. It returns the state after it and the offset to continue
// at: after the byte, its character or its line. If there is a match, the offset is that of the byte.
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

// flush empties the table, except for the given state and those of the lanes.
func (m *Matcher) flush(state *uint32) {
	m.dfa.flush(state, &m.lanes[0].state, &m.lanes[1].state, &m.lanes[2].state, &m.lanes[3].state)
}

// Lines yields every line that matches, in order and without its line feed, until yield returns false. A line feed
// at the end of the text does not start another line. A JavaScript pattern is matched with each line by itself.
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

// eachLine matches each line by itself.
func (m *Matcher) eachLine(text []byte, yield func(start, end int) bool) {
	for at := 0; at < len(text) && !m.stopped; {
		end := lineEnd(text, at)
		if _, found := m.scan(text[at:end]); found && !yield(at, end) {
			return
		}
		at = end + 1
	}
}

// lineEnd returns where the line that contains an offset ends.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// lineStart returns where the line that contains an offset begins.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// allLines reads all lines, beginning with the one that starts at an offset.
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
	m.inOneLane(text, at, yield)
}

// inOneLane reads the lines from an offset, the start of a line, on.
func (m *Matcher) inOneLane(text []byte, at int, yield func(start, end int) bool) {
	for at < len(text) {
		found, state := m.run(text, at, m.dfa.start)
		if state != matched {
			if text[len(text)-1] != '\n' && state < special && m.dfa.endsWell(state) {
				yield(max(at, lineStart(text, len(text))), len(text))
			}
			return
		}
		start, end := lineStart(text, found), lineEnd(text, found)
		if !yield(start, end) {
			return
		}
		at = end + 1
	}
}

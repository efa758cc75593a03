package regex

import "bytes"

// hunt goes from one place where a needle may be to the next. It keeps count
// of what that costs, and is given up when reading all would be cheaper.
type hunt struct {
	*prefilter
	text    []byte
	trails  []trail
	place   int // how far it has come in the text
	spent   int // on stops, and on lines that had to be read
	covered int // bytes, of all texts
}

// trail follows one byte of a needle through the text.
type trail struct {
	b      byte
	needle *needle
	at     int // where it is next, or the end of the text
}

// huntTrial is how many bytes a hunt is tried on.
const huntTrial = 1 << 15

// stopCost and decodedStopCost are how many bytes can be read in the time of
// a stop: fewer where characters have to be decoded.
const (
	stopCost        = 80
	decodedStopCost = 20
)

// pays reports whether to go on hunting by single bytes.
func (h *hunt) pays() bool { return h.covered < huntTrial || h.spent < h.covered }

// worthwhile reports whether to hunt at all. A needle that is all of a match
// can be looked for as a whole, which takes a steady time whatever the text is.
func (h *hunt) worthwhile(f *prefilter) bool { return f != nil && (f.exact || h.pays()) }

func (h *hunt) begin(f *prefilter, text []byte) {
	h.prefilter, h.text, h.place = f, text, 0
	h.trails = h.trails[:0]
	for i := range f.needles {
		n := &f.needles[i]
		h.trails = append(h.trails, trail{n.low, n, -1})
		if n.high != n.low {
			h.trails = append(h.trails, trail{n.high, n, -1})
		}
	}
}

// next is the first place from one on where a needle may be, or -1. When the
// hunt does not pay any more, it may be any place.
func (h *hunt) next(from int) int {
	for i := range h.trails {
		if t := &h.trails[i]; t.at < from {
			t.at = h.find(t.b, from)
		}
	}
	for h.pays() {
		first := &h.trails[0]
		for i := range h.trails {
			if h.trails[i].at < first.at {
				first = &h.trails[i]
			}
		}
		h.covered += first.at - h.place
		h.place = first.at
		if first.at == len(h.text) {
			return -1
		}
		h.spent += h.stop
		if first.needle.fits(h.text, first.at) {
			return first.at
		}
		first.at = h.find(first.b, first.at+1)
	}
	if !h.exact {
		return from
	}
	if i := bytes.Index(h.text[from:], []byte(h.needles[0].text)); i >= 0 {
		return from + i
	}
	return -1
}

// find is where a byte is, or the end of the text.
func (h *hunt) find(b byte, from int) int {
	if i := bytes.IndexByte(h.text[from:], b); i >= 0 {
		return from + i
	}
	return len(h.text)
}

// huntLines gives the lines that match among those with a needle.
func (m *Matcher) huntLines(text []byte, yield func(start, end int) bool) {
	h := &m.hunt
	h.begin(m.regex.filter, text)
	for at := 0; at < len(text) && !m.stopped; {
		place := h.next(at)
		if place < 0 {
			return
		}
		start, end := lineStart(text[:place], place), lineEnd(text, place)
		found := h.exact
		if !found {
			h.spent += end - start
			_, found = m.scan(text[start:end])
		}
		if found && !yield(start, end) {
			return
		}
		at = end + 1
		if !h.worthwhile(m.regex.filter) && at < len(text) {
			m.allLines(text, at, yield)
			return
		}
	}
}

package regex

import "bytes"

// hunt moves through a text from one possible needle to the next. It measures what that costs, and is abandoned
// when reading everything would be cheaper.
type hunt struct {
	filter  *prefilter
	text    []byte
	trails  []trail
	reached int // how far it has come in the text
	spent   int // on stops, and on lines that had to be read; in bytes
	covered int // bytes of all texts
}

// trail follows a byte of a needle through the text.
type trail struct {
	b      byte
	needle *needle
	at     int // its next offset, or the end of the text
}

// huntTrial is how many bytes a hunt covers before it may be abandoned.
const huntTrial = 1 << 15

// stopCost and decodedStopCost are how many bytes can be read in the time of a stop: fewer if characters must be
// decoded.
const (
	stopCost        = 80
	decodedStopCost = 20
)

// pays reports whether to continue hunting by single bytes.
func (h *hunt) pays() bool { return h.covered < huntTrial || h.spent < h.covered }

// worthwhile reports whether to hunt at all. A needle that is the whole match can be searched for directly, which
// takes about the same time in any text.
func (h *hunt) worthwhile(f *prefilter) bool { return f != nil && (f.exact || h.pays()) }

func (h *hunt) begin(f *prefilter, text []byte) {
	h.filter, h.text, h.reached = f, text, 0
	h.trails = h.trails[:0]
	for i := range f.needles {
		n := &f.needles[i]
		h.trails = append(h.trails, trail{n.low, n, -1})
		if n.high != n.low {
			h.trails = append(h.trails, trail{n.high, n, -1})
		}
	}
}

// next returns the next offset where a needle may be, or -1. When the hunt no longer pays, it may return any
// offset.
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
		h.covered += first.at - h.reached
		h.reached = first.at
		if first.at == len(h.text) {
			return -1
		}
		h.spent += h.filter.stop
		if first.needle.fits(h.text, first.at) {
			return first.at
		}
		first.at = h.find(first.b, first.at+1)
	}
	if !h.filter.exact {
		return from
	}
	if i := bytes.Index(h.text[from:], []byte(h.filter.needles[0].text)); i >= 0 {
		return from + i
	}
	return -1
}

// find returns the next offset of a byte, or the end of the text.
func (h *hunt) find(b byte, from int) int {
	if i := bytes.IndexByte(h.text[from:], b); i >= 0 {
		return from + i
	}
	return len(h.text)
}

// huntLines yields the matching lines among those that contain a needle.
func (m *Matcher) huntLines(text []byte, yield func(start, end int) bool) {
	h := &m.hunt
	h.begin(m.regex.filter, text)
	for at := 0; at < len(text) && !m.stopped; {
		found := h.next(at)
		if found < 0 {
			return
		}
		start, end := lineStart(text[:found], found), lineEnd(text, found)
		matches := h.filter.exact
		if !matches {
			h.spent += end - start
			_, matches = m.scan(text[start:end])
		}
		if matches && !yield(start, end) {
			return
		}
		at = end + 1
		if !h.worthwhile(m.regex.filter) && at < len(text) {
			m.allLines(text, at, yield)
			return
		}
	}
}

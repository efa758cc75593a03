package pdf

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

type point struct{ x, y float64 }

func (p point) distance(to point) float64 { return math.Hypot(to.x-p.x, to.y-p.y) }

// layout puts glyphs together to words and lines. It keeps the order of the content, which is nearly always the order of
// reading, and looks at places only to see where words and lines end.
type layout struct {
	spent   *budget
	done    []textLine
	current textLine
}

// textLine is a run of glyphs on one baseline.
type textLine struct {
	text      []byte
	direction point   // of the baseline, of length 1
	base      float64 // distance of the baseline from the origin
	start     float64 // along the baseline
	end       float64
	size      float64 // of the font
	needSpace bool
}

// Distances, in parts of the font size.
const (
	wordGap  = 0.13 // between words; 0.1 in poppler, which knows the widths of all fonts
	backStep = 0.5  // as far as glyphs of one line may step back, for accents and kerning
	baseStep = 0.4  // as far as a baseline may move within a line, for superscripts
	blockGap = 1.8  // between lines of different paragraphs
)

func (l *layout) add(characters string, from, to point, size float64) {
	if characters == "" || !isFinite(from) || !isFinite(to) || size <= 0 {
		return
	}
	direction := l.current.direction
	if length := from.distance(to); length > 1e-6 {
		direction = point{(to.x - from.x) / length, (to.y - from.y) / length}
	} else if direction == (point{}) {
		direction = point{1, 0}
	}
	base := direction.x*from.y - direction.y*from.x
	start := direction.x*from.x + direction.y*from.y
	end := direction.x*to.x + direction.y*to.y
	if !l.continues(direction, base, start, size) {
		l.finish()
		l.current.direction, l.current.base, l.current.start, l.current.end = direction, base, start, start
		l.current.size = size
	}
	line := &l.current
	if start > line.end+wordGap*min(size, line.size) {
		line.needSpace = true
	}
	line.end = max(end, start)
	line.size = size
	if len(line.text) == 0 {
		line.base = base
	}
	line.write(characters, l.spent)
}

func isFinite(p point) bool { return math.Abs(p.x) < 1e9 && math.Abs(p.y) < 1e9 }

func (l *layout) continues(direction point, base, start, size float64) bool {
	line := &l.current
	if len(line.text) == 0 && !line.needSpace {
		return false
	}
	isParallel := direction.x*line.direction.x+direction.y*line.direction.y > 0.98
	return isParallel && math.Abs(base-line.base) < baseStep*max(size, line.size) && start > line.end-backStep*size
}

// write appends characters, with one space between words.
func (l *textLine) write(characters string, spent *budget) {
	for _, r := range characters {
		if !spent.keep(4) {
			return
		}
		switch {
		case unicode.IsSpace(r):
			l.needSpace = true
			continue
		case unicode.IsControl(r) || r == '\ufeff' || r == unicode.ReplacementChar:
			continue
		}
		if l.needSpace && len(l.text) > 0 {
			l.text = append(l.text, ' ')
		}
		l.needSpace = false
		if ligature, ok := ligatures[r]; ok {
			l.text = append(l.text, ligature...)
		} else {
			l.text = utf8.AppendRune(l.text, r)
		}
	}
}

var ligatures = map[rune]string{'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st"}

// finish ends the current textLine. A line that repeats the one before at the same place is left out: some programs print
// twice to make a text bold.
func (l *layout) finish() {
	line := l.current
	l.current = textLine{}
	if len(line.text) == 0 {
		return
	}
	if count := len(l.done); count > 0 {
		last := &l.done[count-1]
		isNear := math.Abs(last.base-line.base) < 0.2*line.size && math.Abs(last.start-line.start) < 0.2*line.size
		if isNear && bytes.Equal(last.text, line.text) {
			return
		}
	}
	if l.spent.keep(128) {
		l.done = append(l.done, line)
	}
}

// text returns all lines, with an empty line between paragraphs.
func (l *layout) text() string {
	l.finish()
	var out strings.Builder
	for i := range l.done {
		line := &l.done[i]
		if i > 0 {
			out.WriteByte('\n')
			if last := &l.done[i-1]; last.direction != line.direction || line.base > last.base+baseStep*line.size ||
				line.base < last.base-blockGap*max(line.size, last.size) {
				out.WriteByte('\n')
			}
		}
		out.Write(line.text)
	}
	return out.String()
}

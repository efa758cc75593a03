package pdf

import (
	"bytes"
	"strings"
)

// matrix maps coordinates: x' = ax + cy + e, y' = bx + dy + f.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times returns the matrix that applies m first and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) apply(x, y float64) point {
	return point{m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]}
}

// graphics is the part of the graphics state that decides where text is shown.
type graphics struct {
	page        matrix // from user space
	font        *font
	size        float64
	charSpace   float64
	wordSpace   float64
	stretch     float64
	leading     float64
	rise        float64
	text, start matrix // of the next glyph, and of the line
}

// interpreter runs the content of a page and hands the text that it shows to the layout.
type interpreter struct {
	file   *file
	layout *layout
	state  graphics
	saved  []graphics
	marks  []*replacement
	depth  int
}

// replacement is the text that a marked part of the content stands for.
type replacement struct {
	text   string
	exists bool
	used   bool
}

func newInterpreter(f *file) *interpreter {
	return &interpreter{file: f, layout: &layout{spent: f.spent}, state: graphics{page: identity, text: identity, start: identity, stretch: 1}}
}

func (r *interpreter) runPage(p page) {
	var content []byte
	for _, part := range r.file.list(dict{"Contents": p.contents}, "Contents", "Contents") {
		if found, ok := r.file.resolve(part).(*stream); ok {
			content = append(append(content, r.file.decode(found)...), '\n')
		}
	}
	r.run(content, p.resources)
}

const (
	maxOperands = 256
	maxSaved    = 512
	maxForms    = 12

	formSteps = 200 // what a form costs besides its content, in steps
)

func (r *interpreter) run(content []byte, resources dict) {
	lexer := &lexer{content, 0, r.file.spent}
	var operands []any
	for {
		switch object := lexer.object(0).(type) {
		case endOfInput:
			return
		case operator:
			if object == "ID" {
				lexer.skipImage()
			} else {
				r.execute(object, operands, resources)
			}
			operands = operands[:0]
		case closing:
		default:
			if len(operands) < maxOperands {
				operands = append(operands, object)
			}
		}
	}
}

// skipImage skips the data of an inline image: up to an EI that stands alone.
func (l *lexer) skipImage() {
	for {
		next := bytes.Index(l.data[l.at:], []byte("EI"))
		if next < 0 {
			l.at = len(l.data)
			return
		}
		at := l.at + next
		l.at = at + 2
		if at > 0 && isSpace(l.data[at-1]) && (l.at == len(l.data) || isSpace(l.data[l.at])) {
			return
		}
	}
}

// execute runs an operator. Those that only draw are ignored.
func (r *interpreter) execute(op operator, operands []any, resources dict) {
	s := &r.state
	numbers := numbersOf(operands)
	switch op {
	case "q":
		if len(r.saved) < maxSaved {
			r.saved = append(r.saved, *s)
		}
	case "Q":
		if last := len(r.saved) - 1; last >= 0 {
			*s, r.saved = r.saved[last], r.saved[:last]
		}
	case "cm":
		s.page = matrix(numbers).times(s.page)
	case "BT":
		s.text, s.start = identity, identity
	case "Tc":
		s.charSpace = numbers[0]
	case "Tw":
		s.wordSpace = numbers[0]
	case "Tz":
		s.stretch = numbers[0] / 100
	case "TL":
		s.leading = numbers[0]
	case "Ts":
		s.rise = numbers[0]
	case "Tf":
		r.setFont(operands, resources)
	case "Td":
		r.moveLine(numbers[0], numbers[1])
	case "TD":
		s.leading = -numbers[1]
		r.moveLine(numbers[0], numbers[1])
	case "Tm":
		s.start = matrix(numbers)
		s.text = s.start
	case "T*":
		r.moveLine(0, -s.leading)
	case "Tj", "TJ":
		r.showAll(operands)
	case "'":
		r.moveLine(0, -s.leading)
		r.showAll(operands)
	case "\"":
		s.wordSpace, s.charSpace = numbers[0], numbers[1]
		r.moveLine(0, -s.leading)
		r.showAll(operands)
	case "Do":
		r.runForm(operands, resources)
	case "BMC", "BDC":
		r.mark(operands, resources)
	case "EMC":
		if last := len(r.marks) - 1; last >= 0 {
			r.marks = r.marks[:last]
		}
	}
}

// numbersOf returns the first six numbers among the operands, and zeros for missing ones. No operator has more.
func numbersOf(operands []any) [6]float64 {
	var numbers [6]float64
	count := 0
	for _, operand := range operands {
		if number, ok := operand.(float64); ok && count < len(numbers) {
			numbers[count] = number
			count++
		}
	}
	return numbers
}

func (r *interpreter) setFont(operands []any, resources dict) {
	if len(operands) < 2 {
		return
	}
	key, _ := operands[0].(name)
	r.state.size, _ = operands[1].(float64)
	r.state.font = r.file.font(r.file.dict(resources["Font"])[key])
}

func (r *interpreter) moveLine(x, y float64) {
	r.state.start = matrix{1, 0, 0, 1, x, y}.times(r.state.start)
	r.state.text = r.state.start
}

func (r *interpreter) showAll(operands []any) {
	for _, operand := range operands {
		switch operand := operand.(type) {
		case text:
			r.show(operand)
		case array:
			for _, item := range operand {
				switch item := item.(type) {
				case text:
					r.show(item)
				case float64:
					r.advance(-item / 1000 * r.state.size)
				}
			}
		}
	}
}

// advance moves the place of the next glyph.
func (r *interpreter) advance(by float64) {
	move := matrix{1, 0, 0, 1, by * r.state.stretch, 0}
	if r.state.font != nil && r.state.font.isVertical {
		move = matrix{1, 0, 0, 1, 0, by}
	}
	r.state.text = move.times(r.state.text)
}

func (r *interpreter) show(s text) {
	state := &r.state
	if state.font == nil {
		return
	}
	for len(s) > 0 && r.file.spent.step() {
		var shown glyph
		shown, s = state.font.next(s)
		width, space := shown.width*state.size, state.charSpace
		if state.font.isVertical {
			width = -state.size
		}
		if shown.isSpace {
			space += state.wordSpace
		}
		before := state.text.times(state.page)
		r.advance(width)
		after := state.text.times(state.page) // without the space, which may be what separates two words
		r.advance(space)
		from, to := before.apply(0, state.rise), after.apply(0, state.rise)
		size := from.distance(before.apply(0, state.rise+state.size))
		r.layout.add(r.replaced(shown.text), from, to, size)
	}
}

// replaced returns what to show instead of the text of a glyph: within a marked part that has a text of its own, the first
// glyph stands for all.
func (r *interpreter) replaced(shown string) string {
	for _, mark := range r.marks {
		if !mark.exists {
			continue
		}
		if mark.used {
			return ""
		}
		mark.used = true
		return mark.text
	}
	return shown
}

func (r *interpreter) mark(operands []any, resources dict) {
	mark := &replacement{}
	if len(operands) == 2 {
		properties, _ := operands[1].(dict)
		if key, ok := operands[1].(name); ok {
			properties = r.file.dict(r.file.dict(resources["Properties"])[key])
		}
		if actual, ok := r.file.resolve(properties["ActualText"]).(text); ok && r.file.crypt == nil {
			mark.text, mark.exists = actual.decode(), true
		}
	}
	if len(r.marks) < maxSaved {
		r.marks = append(r.marks, mark)
	}
}

// decode returns the characters of a string outside content: UTF-16 or UTF-8 with a mark, or about Latin-1.
func (s text) decode() string {
	if rest, ok := strings.CutPrefix(string(s), "\xfe\xff"); ok {
		return fromUTF16(text(rest))
	}
	if rest, ok := strings.CutPrefix(string(s), "\xef\xbb\xbf"); ok {
		return strings.ToValidUTF8(rest, "")
	}
	characters := make([]rune, len(s))
	for i := range len(s) {
		characters[i] = rune(s[i])
	}
	return string(characters)
}

// runForm runs a form XObject, a piece of content that pages share.
func (r *interpreter) runForm(operands []any, resources dict) {
	r.file.spent.steps -= formSteps
	r.file.spent.look()
	if len(operands) == 0 || r.depth >= maxForms {
		return
	}
	key, _ := operands[0].(name)
	form, _ := r.file.resolve(r.file.dict(resources["XObject"])[key]).(*stream)
	if form == nil || r.file.resolve(form.dict["Subtype"]) != name("Form") {
		return
	}
	own := r.file.dict(form.dict["Resources"])
	if own == nil {
		own = resources
	}
	saved, outer := r.state, r.saved
	if values := r.file.array(form.dict["Matrix"]); len(values) == 6 {
		r.state.page = matrix(numbersOf(values)).times(r.state.page)
	}
	r.saved = nil
	r.depth++
	r.run(r.file.decode(form), own)
	r.depth--
	r.state, r.saved = saved, outer
}

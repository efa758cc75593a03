package regex

// Find returns where the leftmost match begins, and the farthest end of a match that begins there. It is meant for
// showing a match in a text that is known to have one: it takes some hundred times as long as Match, and all of its
// steps count.
func (m *Matcher) Find(text []byte) (start, end int, ok bool) {
	at, found := m.scan(text)
	if !found {
		return 0, 0, false
	}
	from, to := 0, len(text)
	if m.regex.dialect == Ripgrep {
		from, to = lineStart(text, at), lineEnd(text, at)
	}
	f := finder{program: m.regex.whole, text: text[from:to], start: -1, seen: newSparse(len(m.regex.whole.of))}
	if !f.run(m) {
		return 0, 0, false
	}
	return from + f.start, from + f.end, f.start >= 0
}

// finder runs the program and keeps track of where each thread began. Threads that began earlier come first, and no
// two threads share a state.
type finder struct {
	program    *program
	text       []byte
	start, end int // of the match; start is -1 if there is none yet
	seen       sparse
	now, then  []thread
	stack      []uint32
}

type thread struct {
	state uint32
	start int
}

// run reads the text on behalf of a matcher. It returns false if the limit stopped it.
func (f *finder) run(m *Matcher) bool {
	reader := columnReader{columns: &f.program.columns}
	before := besideEdge
	for at := 0; m.mayGoOn(); at++ {
		after := besideEdge
		if at < len(f.text) {
			after = reader.kind(f.text, at)
		}
		f.settle(at, before, after)
		m.dfa.stepper.meter.steps += len(f.then) + len(f.seen.dense)
		m.dfa.stepper.meter.bytes++
		if at == len(f.text) || f.start >= 0 && len(f.now) == 0 {
			return true
		}
		f.then, f.now = f.now, f.then[:0]
		for _, t := range f.then {
			if next, ok := f.program.read(t.state, f.text[at]); ok {
				f.now = append(f.now, thread{next, t.start})
			}
		}
		before = before.then(after)
	}
	return false
}

// settle follows the threads to states that read, and records a match.
func (f *finder) settle(at int, before, after neighbor) {
	f.seen.clear()
	f.then = f.then[:0]
	for _, t := range f.now {
		f.follow(t, at, before, after)
	}
	if f.start < 0 {
		f.follow(thread{f.program.start, at}, at, before, after)
	}
	f.now, f.then = f.then, f.now
}

func (f *finder) follow(t thread, at int, before, after neighbor) {
	if f.start >= 0 && t.start > f.start {
		return
	}
	f.stack = append(f.stack[:0], t.state)
	for len(f.stack) > 0 {
		state := f.stack[len(f.stack)-1]
		f.stack = f.stack[:len(f.stack)-1]
		if !f.seen.add(state) {
			continue
		}
		switch in := &f.program.code[f.program.of[state]]; in.op {
		case opMatch:
			f.start, f.end = t.start, at
		case opSplit:
			f.stack = append(f.stack, in.choices...)
		case opLook:
			if in.look.holds(before, after) {
				f.stack = append(f.stack, in.next)
			}
		default:
			f.then = append(f.then, thread{state, t.start})
		}
	}
}

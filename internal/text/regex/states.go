package regex

// sparse is a set of states that can be emptied in constant time.
type sparse struct {
	dense []uint32
	where []uint32
}

func newSparse(n int) sparse { return sparse{make([]uint32, 0, n), make([]uint32, n)} }

func (s *sparse) clear() { s.dense = s.dense[:0] }

// add reports whether the state was new.
func (s *sparse) add(state uint32) bool {
	if at := s.where[state]; int(at) < len(s.dense) && s.dense[at] == state {
		return false
	}
	s.where[state] = uint32(len(s.dense))
	s.dense = append(s.dense, state)
	return true
}

// stepper moves sets of states over bytes. A set holds states that read, and looks that are undecided until the
// byte after the position is known.
type stepper struct {
	program *program
	seen    sparse // all states visited while a set is built
	stack   []uint32
	wide    []uint32 // scratch: a set with its looks decided
	meter   meter
}

func newStepper(p *program) *stepper {
	return &stepper{program: p, seen: newSparse(len(p.of))}
}

// step appends the set after a byte of a column to to, and returns what precedes the new position. After a match
// the set is meaningless.
func (s *stepper) step(to, from []uint32, before neighbor, column int) (set []uint32, after neighbor, matched bool) {
	after = s.program.columns.beside[column]
	if s.program.looks {
		if from, matched = s.decide(from, before, after); matched {
			return to, after, true
		}
	}
	s.meter.steps += len(from) + len(s.seen.dense)
	s.seen.clear()
	c := s.program.columns.bytes[column]
	for _, state := range from {
		next, ok := s.program.read(state, c)
		if !ok {
			continue
		}
		if to, matched = s.follow(to, next); matched {
			return to, after, true
		}
	}
	to, matched = s.follow(to, s.program.start)
	if !s.program.looks {
		return to, besideOther, matched
	}
	return to, before.then(after), matched
}

// follow adds a state to a set, or the states it leads to without reading. States within a character only read.
func (s *stepper) follow(to []uint32, state uint32) (set []uint32, matched bool) {
	s.stack = append(s.stack[:0], state)
	for len(s.stack) > 0 {
		state = s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if !s.seen.add(state) {
			continue
		}
		switch in := &s.program.code[s.program.of[state]]; in.op {
		case opMatch:
			return to, true
		case opSplit:
			s.stack = append(s.stack, in.choices...)
		default:
			to = append(to, state)
		}
	}
	return to, false
}

// decide adds the states behind the looks of a set that hold at its position.
func (s *stepper) decide(from []uint32, before, after neighbor) (set []uint32, matched bool) {
	s.seen.clear()
	s.wide = s.wide[:0]
	for _, state := range from {
		s.seen.add(state)
		s.wide = append(s.wide, state)
	}
	for i := 0; i < len(s.wide); i++ {
		in := &s.program.code[s.program.of[s.wide[i]]]
		if in.op != opLook || !in.look.holds(before, after) {
			continue
		}
		if s.wide, matched = s.follow(s.wide, in.next); matched {
			return nil, true
		}
	}
	return s.wide, false
}

// matchesAtEnd reports whether there is a match if the text ends at the position of a set.
func (s *stepper) matchesAtEnd(from []uint32, before neighbor) bool {
	if !s.program.looks {
		return false
	}
	_, matched := s.decide(from, before, besideEdge)
	return matched
}

// waitsForLine reports whether a set cannot match before the next line.
func (s *stepper) waitsForLine(set []uint32, before neighbor) bool {
	if !s.program.lines || before == besideEdge {
		return false
	}
	for _, state := range set {
		if in := &s.program.code[s.program.of[state]]; in.op != opLook || in.look != lookLineStart {
			return false
		}
	}
	return true
}

package regex

// program is the nondeterministic automaton of a pattern, over bytes. Its states are numbered; each belongs to an
// instruction, and an instruction that reads a character has a state for each node of its shape.
type program struct {
	code  []instruction
	of    []uint32 // state -> instruction
	start uint32
	looks bool // it has conditions to decide

	// columns group the bytes that the program does not distinguish.
	columns columns
	// lines means that a line feed is never part of a match, so that text may be read across lines.
	lines bool
}

type instruction struct {
	op      operation
	look    look
	first   uint32   // the first state of the instruction
	next    uint32   // the state after the instruction
	shape   *shape   // opRead
	choices []uint32 // opSplit
}

type operation uint8

const (
	opRead operation = iota
	opSplit
	opLook
	opMatch
)

// maxStates, maxInstructions and maxChoices bound a program: the first its memory, the others the time that a byte
// of text may take.
const (
	maxStates       = 400_000
	maxInstructions = 10_000
	maxChoices      = 8_000
)

// assembler builds a program, from its end backwards.
type assembler struct {
	program program
	shapes  map[*span]*shape // by the address of the set
}

func assemble(tree *node, dialect Dialect) (*program, error) {
	a := &assembler{shapes: map[*span]*shape{}}
	a.program.lines = dialect == Ripgrep
	w := a.weigh(tree)
	if w.states >= maxStates || w.instructions > maxInstructions || w.choices > maxChoices {
		return nil, errorf(0, "the pattern is too large; use fewer or smaller repetitions")
	}
	a.program.of = make([]uint32, 0, w.states+1)
	a.program.code = make([]instruction, 0, w.instructions+1)
	last := a.add(instruction{op: opMatch}, 1)
	a.program.start = a.node(tree, last)
	a.program.columns = newColumns(&a.program)
	return &a.program, nil
}

// weight is the size of a part of a program.
type weight struct{ states, instructions, choices int64 }

func (w weight) plus(other weight) weight {
	return weight{w.states + other.states, w.instructions + other.instructions, w.choices + other.choices}.bounded()
}

func (w weight) times(n int) weight {
	m := int64(n)
	return weight{w.states * m, w.instructions * m, w.choices * m}.bounded()
}

// bounded keeps numbers from overflowing. All limits are far below.
func (w weight) bounded() weight {
	const much = 1 << 24
	return weight{min(w.states, much), min(w.instructions, much), min(w.choices, much)}
}

// weigh returns the size of a node's program.
func (a *assembler) weigh(n *node) weight {
	total := weight{}
	switch n.kind {
	case nodeClass, nodeBytes:
		return weight{int64(len(a.shape(n).nodes)), 1, 0}
	case nodeEmpty, nodeFlags:
		return total
	case nodeLook:
		return weight{1, 1, 0}
	case nodeAlternate:
		total = weight{1, 1, int64(len(n.subs))}
	}
	for _, sub := range n.subs {
		total = total.plus(a.weigh(sub))
	}
	if n.kind != nodeRepeat {
		return total
	}
	split := weight{1, 1, 2}
	if n.max == unlimited {
		return total.times(max(n.min, 1)).plus(split)
	}
	return total.times(n.max).plus(split.times(n.max - n.min))
}

// add appends an instruction with some states and returns the first of them.
func (a *assembler) add(in instruction, states int) uint32 {
	in.first = uint32(len(a.program.of))
	for range states {
		a.program.of = append(a.program.of, uint32(len(a.program.code)))
	}
	a.program.code = append(a.program.code, in)
	return in.first
}

// node builds the states of a node and returns the first. What follows the node begins at next.
func (a *assembler) node(n *node, next uint32) uint32 {
	switch n.kind {
	case nodeClass, nodeBytes:
		shape := a.shape(n)
		return a.add(instruction{op: opRead, shape: shape, next: next}, len(shape.nodes))
	case nodeLook:
		a.program.looks = true
		return a.add(instruction{op: opLook, look: n.look, next: next}, 1)
	case nodeRepeat:
		return a.repeat(n, next)
	case nodeAlternate:
		choices := make([]uint32, len(n.subs))
		for i, sub := range n.subs {
			choices[i] = a.node(sub, next)
		}
		return a.add(instruction{op: opSplit, choices: choices}, 1)
	}
	for i := len(n.subs) - 1; i >= 0; i-- {
		next = a.node(n.subs[i], next)
	}
	return next
}

func (a *assembler) repeat(n *node, next uint32) uint32 {
	sub := n.subs[0]
	required := n.min
	if n.max == unlimited {
		loop := a.add(instruction{op: opSplit}, 1)
		body := a.node(sub, loop)
		a.program.code[a.program.of[loop]].choices = []uint32{body, next}
		if next = loop; required > 0 {
			next = body
			required--
		}
	} else {
		after := next
		for range n.max - n.min {
			next = a.add(instruction{op: opSplit, choices: []uint32{a.node(sub, next), after}}, 1)
		}
	}
	for range required {
		next = a.node(sub, next)
	}
	return next
}

func (a *assembler) shape(n *node) *shape {
	if len(n.set) == 0 {
		return byteShape(nil)
	}
	if s, ok := a.shapes[&n.set[0]]; ok {
		return s
	}
	s := byteShape(n.set)
	if n.kind == nodeClass {
		s = cachedShapes.of(n.set)
	}
	a.shapes[&n.set[0]] = s
	return s
}

// read returns where a state leads with a byte.
func (p *program) read(state uint32, c byte) (next uint32, ok bool) {
	in := &p.code[p.of[state]]
	if in.op != opRead {
		return 0, false
	}
	for _, e := range in.shape.nodes[state-in.first] {
		if c < e.lo {
			return 0, false
		}
		if c > e.hi {
			continue
		}
		if e.to == out {
			return in.next, true
		}
		return in.first + uint32(e.to), true
	}
	return 0, false
}

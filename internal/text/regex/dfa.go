package regex

import (
	"encoding/binary"
	"slices"
)

// dfa is the deterministic automaton, built while text is read. A state stands for a set of the program's states;
// its name is the offset of its row in the table.
type dfa struct {
	program *program
	columns *columns
	stepper *stepper
	table   []uint32 // a row for each state
	sets    [][]uint32
	before  []neighbor
	atEnd   []answer
	states  map[string]uint32
	start   uint32 // the state at the start of a text or line

	stride uint32
	memory int // members of all sets
	key    []byte
	set    []uint32

	read int  // bytes read since the table was emptied
	slow bool // states are met only once: building them does not pay
}

// Entries of the table that are not states have the bit special.
const (
	special  = 1 << 31
	unknown  = special     // not computed yet
	matched  = special + 1 // there is a match
	decode   = special + 2 // the character must be decoded
	nextLine = special + 3 // nothing can match before the next line
)

// maxRows, maxTable and maxSets bound the memory of a table: its rows, its entries, and the members of its sets.
const (
	maxRows  = 10_000
	maxTable = 1 << 20
	maxSets  = 1 << 20
)

// worthwhile is how many bytes a state must be used for on average. Below that, the program is simulated.
const worthwhile = 8

type answer uint8

const (
	unanswered answer = iota
	no
	yes
)

// stateCost is how many steps a member of a new set takes: to be sorted, copied and looked up.
const stateCost = 4

func newDFA(p *program) *dfa {
	d := &dfa{program: p, columns: &p.columns, stepper: newStepper(p), stride: uint32(p.columns.count)}
	d.reset()
	return d
}

func (d *dfa) reset() {
	d.table, d.sets, d.before, d.atEnd = d.table[:0], d.sets[:0], d.before[:0], d.atEnd[:0]
	d.states = map[string]uint32{}
	d.memory, d.read = 0, 0
	d.stepper.seen.clear()
	first, ok := d.stepper.follow(nil, d.program.start)
	if d.start = matched; !ok {
		before := besideEdge
		if !d.program.looks {
			before = besideOther
		}
		d.start = d.state(first, before)
	}
}

// state returns the state of a set, which it sorts.
func (d *dfa) state(set []uint32, before neighbor) uint32 {
	slices.Sort(set)
	d.key = append(d.key[:0], byte(before))
	for _, s := range set {
		d.key = binary.LittleEndian.AppendUint32(d.key, s)
	}
	if name, ok := d.states[string(d.key)]; ok {
		return name
	}
	d.stepper.meter.steps += stateCost*len(set) + int(d.stride)
	name := uint32(len(d.table))
	for range d.stride {
		d.table = append(d.table, unknown)
	}
	if c := d.columns.decodeColumn(); c >= 0 {
		d.table[name+uint32(c)] = decode
	}
	d.sets = append(d.sets, slices.Clone(set))
	d.before = append(d.before, before)
	d.atEnd = append(d.atEnd, unanswered)
	d.states[string(d.key)] = name
	d.memory += len(set)
	return name
}

// full reports whether the table may not grow any more.
func (d *dfa) full() bool {
	return len(d.sets) > maxRows || len(d.table) > maxTable || d.memory > maxSets
}

// flush empties the table, except for the states that are still needed. If little text filled the table, building
// it does not pay.
func (d *dfa) flush(needed ...*uint32) {
	d.slow = d.slow || d.read < worthwhile*len(d.sets)
	type saved struct {
		set    []uint32
		before neighbor
	}
	states := make([]saved, len(needed))
	for i, name := range needed {
		states[i] = saved{d.setOf(*name), d.before[*name/d.stride]}
	}
	d.reset()
	for i, s := range states {
		*needed[i] = d.state(s.set, s.before)
	}
}

func (d *dfa) setOf(name uint32) []uint32 { return d.sets[name/d.stride] }

// next computes the table's entry for a state and a column.
func (d *dfa) next(name uint32, column uint16) uint32 {
	to, after, found := d.stepper.step(d.set[:0], d.setOf(name), d.before[name/d.stride], int(column))
	d.set = to
	next := uint32(matched)
	switch {
	case found:
	case d.stepper.waitsForLine(to, after):
		next = nextLine
	default:
		next = d.state(to, after)
	}
	d.table[name+uint32(column)] = next
	return next
}

// move returns the table's entry for a state and a column, computing it on first use.
func (d *dfa) move(name uint32, column uint16) uint32 {
	if to := d.table[name+uint32(column)]; to != unknown {
		return to
	}
	return d.next(name, column)
}

// decoded moves over the character at an offset, which is not ASCII. The next state may be special.
func (d *dfa) decoded(name uint32, text []byte, at int) (next uint32, size int) {
	kind, size := besideAt(text, at)
	for i := range size {
		name = d.move(name, d.columns.wide[text[at+i]]+uint16(kind))
		if name >= special {
			return name, i + 1
		}
		kind = besideMiddle
	}
	return name, size
}

// endsWell reports whether there is a match if the text ends here.
func (d *dfa) endsWell(name uint32) bool {
	i := name / d.stride
	if d.atEnd[i] == unanswered {
		d.atEnd[i] = no
		if d.stepper.matchesAtEnd(d.sets[i], d.before[i]) {
			d.atEnd[i] = yes
		}
	}
	return d.atEnd[i] == yes
}

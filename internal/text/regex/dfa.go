package regex

import (
	"encoding/binary"
	"slices"
)

// dfa is the deterministic automaton, made while text is read. A state is a
// set of the program's states; it is named by where its row begins in the
// table.
type dfa struct {
	*stepper
	table  []uint32 // a row of columns for each state
	sets   [][]uint32
	before []neighbor
	atEnd  []answer
	known  map[string]uint32
	start  uint32 // at the start of a text or line

	stride uint32
	memory int // of the sets
	key    []byte
	set    []uint32

	read int  // bytes since the table was emptied
	slow bool // states are met only once: making them does not pay
}

// What the table holds beside states has the bit special.
const (
	special  = 1 << 31
	unknown  = special     // not asked for yet
	matched  = special + 1 // there is a match
	decode   = special + 2 // the character has to be decoded
	nextLine = special + 3 // nothing can match before the next line
)

// maxRows, maxTable and maxSets bound the memory of a table: rows, entries,
// and states in its sets.
const (
	maxRows  = 10_000
	maxTable = 1 << 20
	maxSets  = 1 << 20
)

// worthwhile is how many bytes a state has to be good for. Below that, the
// program is simulated.
const worthwhile = 8

type answer uint8

const (
	unasked answer = iota
	no
	yes
)

// stateCost is how many steps it takes to keep a member of a new set: to sort
// it, to copy it and to look it up.
const stateCost = 4

func newDFA(p *program) *dfa {
	d := &dfa{stepper: newStepper(p), stride: uint32(p.columns.count)}
	d.reset()
	return d
}

func (d *dfa) reset() {
	d.table, d.sets, d.before, d.atEnd = d.table[:0], d.sets[:0], d.before[:0], d.atEnd[:0]
	d.known = map[string]uint32{}
	d.memory, d.read = 0, 0
	d.seen.clear()
	first, ok := d.follow(nil, d.program.start)
	if d.start = matched; !ok {
		before := besideEdge
		if !d.looks {
			before = besideOther
		}
		d.start = d.state(first, before)
	}
}

// state is the one with this set, which it sorts.
func (d *dfa) state(set []uint32, before neighbor) uint32 {
	slices.Sort(set)
	d.key = append(d.key[:0], byte(before))
	for _, s := range set {
		d.key = binary.LittleEndian.AppendUint32(d.key, s)
	}
	if name, ok := d.known[string(d.key)]; ok {
		return name
	}
	d.meter.steps += stateCost*len(set) + int(d.stride)
	name := uint32(len(d.table))
	for range d.stride {
		d.table = append(d.table, unknown)
	}
	if c := d.columns.decodeColumn(); c >= 0 {
		d.table[name+uint32(c)] = decode
	}
	d.sets = append(d.sets, slices.Clone(set))
	d.before = append(d.before, before)
	d.atEnd = append(d.atEnd, unasked)
	d.known[string(d.key)] = name
	d.memory += len(set)
	return name
}

// full reports whether no more states are to be made.
func (d *dfa) full() bool {
	return len(d.sets) > maxRows || len(d.table) > maxTable || d.memory > maxSets
}

// flush empties the table, but for the states that are still needed. If the
// table was filled by little text, making it does not pay.
func (d *dfa) flush(needed ...*uint32) {
	d.slow = d.slow || d.read < worthwhile*len(d.sets)
	type kept struct {
		set    []uint32
		before neighbor
	}
	keep := make([]kept, len(needed))
	for i, name := range needed {
		keep[i] = kept{d.setOf(*name), d.before[*name/d.stride]}
	}
	d.reset()
	for i, k := range keep {
		*needed[i] = d.state(k.set, k.before)
	}
}

func (d *dfa) setOf(name uint32) []uint32 { return d.sets[name/d.stride] }

// next fills the table's entry for a state and a column.
func (d *dfa) next(name uint32, column uint16) uint32 {
	to, after, found := d.step(d.set[:0], d.setOf(name), d.before[name/d.stride], int(column))
	d.set = to
	next := uint32(matched)
	switch {
	case found:
	case d.waitsForLine(to, after):
		next = nextLine
	default:
		next = d.state(to, after)
	}
	d.table[name+uint32(column)] = next
	return next
}

// move is next with the table asked first.
func (d *dfa) move(name uint32, column uint16) uint32 {
	if to := d.table[name+uint32(column)]; to != unknown {
		return to
	}
	return d.next(name, column)
}

// decoded moves over the character at a place, which is not of ASCII. The
// state may be special.
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
	if d.atEnd[i] == unasked {
		d.atEnd[i] = no
		if d.matchesAtEnd(d.sets[i], d.before[i]) {
			d.atEnd[i] = yes
		}
	}
	return d.atEnd[i] == yes
}

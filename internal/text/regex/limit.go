package regex

import "sync/atomic"

// Limit ends matching that nobody waits for any more, or that costs too much.
// All patterns and matchers of one search share it.
//
// Cost is counted in steps: a state of the automaton that is met while a set
// of states is made, about ten nanoseconds. Each byte that is read pays for
// some, so that a pattern that costs little may read any amount of text.
type Limit struct {
	done     <-chan struct{}
	left     atomic.Int64
	over     atomic.Bool
	exceeded atomic.Bool
}

// stepsPerByte are what a byte of text pays for. What people ask for costs
// less than one mostly, and less than forty with wide gaps between wide classes.
const stepsPerByte = 32

// NewLimit allows so many steps beyond those that the text pays for, until done
// is closed; nil is never closed.
func NewLimit(done <-chan struct{}, steps int64) *Limit {
	l := &Limit{done: done}
	l.left.Store(steps)
	return l
}

// Exceeded reports whether the steps did not suffice: since then, nothing has
// matched.
func (l *Limit) Exceeded() bool { return l != nil && l.exceeded.Load() }

// settle takes what was done from what may be done. It reports whether to go
// on.
func (l *Limit) settle(done meter) bool {
	if l == nil {
		return true
	}
	if l.left.Add(int64(stepsPerByte*done.bytes-done.steps)) < 0 {
		l.exceeded.Store(true)
		l.over.Store(true)
	}
	if isClosed(l.done) {
		l.over.Store(true)
	}
	return !l.over.Load()
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// meter counts what a matcher does between two looks at its limit.
type meter struct{ steps, bytes int }

// lookEvery is how many bytes are read by a table between two looks at the
// limit. A step counts for eight. That is a millisecond's worth or less.
const lookEvery = 1 << 18

func (m *meter) due() bool { return 8*m.steps+m.bytes >= lookEvery }

// mayGoOn settles with the limit when that is due. Once it has said no, it stays
// due, and the matcher reads nothing any more.
func (m *Matcher) mayGoOn() bool { return !m.dfa.meter.due() || m.settle() }

// settle is kept apart from mayGoOn, which is asked for every line.
//
//go:noinline
func (m *Matcher) settle() bool {
	if m.stopped {
		return false
	}
	m.stopped = !m.regex.limit.settle(m.dfa.meter)
	if m.dfa.meter = (meter{}); m.stopped {
		m.dfa.meter.bytes = lookEvery
	}
	return !m.stopped
}

package regex

import "sync/atomic"

// Limit ends matching that nobody waits for any more, or that takes too much work. All patterns and matchers of a
// search share it.
//
// Work is counted in steps: a step is a state of the automaton that is visited while a set of states is built,
// about ten nanoseconds. Each byte that is read pays for some steps, so that a cheap pattern may read any amount of
// text.
type Limit struct {
	done     <-chan struct{}
	left     atomic.Int64
	over     atomic.Bool
	exceeded atomic.Bool
}

// stepsPerByte is how many steps a byte of text pays for. Patterns that people write mostly take less than one step
// per byte, and less than forty with wide gaps between wide classes.
const stepsPerByte = 32

// NewLimit allows a number of steps beyond those that the text pays for, until done is closed. A nil channel is
// never closed.
func NewLimit(done <-chan struct{}, steps int64) *Limit {
	l := &Limit{done: done}
	l.left.Store(steps)
	return l
}

// Exceeded reports whether the steps were used up. Since then, nothing has matched.
func (l *Limit) Exceeded() bool { return l != nil && l.exceeded.Load() }

// settle deducts work from the limit. It reports whether to continue.
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

// meter counts the work of a matcher since it last checked its limit.
type meter struct{ steps, bytes int }

// lookEvery is how many bytes a table reads between two checks of the limit. A step counts as eight bytes. That
// takes a millisecond or less.
const lookEvery = 1 << 18

func (m *meter) due() bool { return 8*m.steps+m.bytes >= lookEvery }

// mayGoOn checks the limit when that is due. Once the limit has stopped the matcher, a check stays due, and the
// matcher reads nothing.
func (m *Matcher) mayGoOn() bool { return !m.dfa.stepper.meter.due() || m.settle() }

// settle is separate from mayGoOn, which is called for every line and must be inlined.
//
//go:noinline
func (m *Matcher) settle() bool {
	if m.stopped {
		return false
	}
	m.stopped = !m.regex.limit.settle(m.dfa.stepper.meter)
	if m.dfa.stepper.meter = (meter{}); m.stopped {
		m.dfa.stepper.meter.bytes = lookEvery
	}
	return !m.stopped
}

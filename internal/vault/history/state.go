package history

import (
	"context"
	"slices"
	"time"
)

// State sums up a history.
type State struct {
	Changes        int // without dropped ones
	Unsettled      int // changes without a recorded outcome
	Bytes          int64
	Oldest, Newest time.Time // zero without changes
	Damaged        int       // parts that could not be read; contents are not checked
	Foreign        int       // segments written with another secret or none, or entirely unreadable
	Newer          int       // segments written by a newer version of the program
}

// State reads the whole history.
func (h *History) State(ctx context.Context) (State, error) {
	var s State
	in, err := h.folder()
	if in == nil {
		return s, err
	}
	defer in.close()
	h.forget(in)
	for _, name := range in.names {
		if err := ctx.Err(); err != nil {
			return State{}, err
		}
		if info, err := in.root.Lstat(name); err == nil {
			s.Bytes += info.Size()
		}
		h.addState(&s, in, name)
	}
	return s, nil
}

// addState adds a segment that is newer than those added before.
func (h *History) addState(s *State, in *folder, name string) {
	v, err := h.readSegment(in, name)
	switch {
	case err != nil:
		s.Damaged++
		return
	case v == nil && h.isNewer(name):
		s.Newer++
		return
	case v == nil:
		s.Foreign++
		return
	}
	defer v.close()
	s.Damaged += v.damaged
	changes := slices.DeleteFunc(slices.Clone(v.changes), func(e entry) bool { return e.settled == wasDropped })
	for _, e := range changes {
		s.Unsettled += int(flag(e.settled == unsettled))
	}
	s.Changes += len(changes)
	v.addTimes(s, changes)
}

// isNewer reports whether a segment that was read comes from a newer version of the program.
func (h *History) isNewer(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.segments[name] != nil && h.segments[name].newer
}

// addTimes reads the times of the first and the last change.
func (v *view) addTimes(s *State, changes []entry) {
	if len(changes) == 0 {
		return
	}
	if first, err := v.change(changes[0]); err == nil && s.Oldest.IsZero() {
		s.Oldest = first.Time
	}
	if last, err := v.change(changes[len(changes)-1]); err == nil {
		s.Newest = last.Time
	}
}

package history

import (
	"context"
	"slices"
	"time"
)

// State is how a history is.
type State struct {
	Changes        int // without those that were dropped
	Unsettled      int // of these, such of which nobody has said what became of them
	Bytes          int64
	Oldest, Newest time.Time // zero: there is no change
	Damaged        int       // places where something could not be read; contents are not looked at
	Foreign        int       // segments that another secret made, or none, or that nothing of can be read
}

// State looks at the whole history.
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

// addState counts a segment, which comes after those that were counted.
func (h *History) addState(s *State, in *folder, name string) {
	v, err := h.look(in, name)
	switch {
	case err != nil:
		s.Damaged++
		return
	case v == nil:
		s.Foreign++
		return
	}
	defer v.close()
	s.Damaged += v.damaged
	counted := slices.DeleteFunc(slices.Clone(v.changes), func(e entry) bool { return e.settled == wasDropped })
	for _, e := range counted {
		s.Unsettled += int(flag(e.settled == unsettled))
	}
	s.Changes += len(counted)
	v.addTimes(s, counted)
}

// addTimes reads when the first and the last of some changes were.
func (v *view) addTimes(s *State, some []entry) {
	if len(some) == 0 {
		return
	}
	if first, err := v.change(some[0]); err == nil && s.Oldest.IsZero() {
		s.Oldest = first.Time
	}
	if last, err := v.change(some[len(some)-1]); err == nil {
		s.Newest = last.Time
	}
}

package history

import "time"

const (
	segmentTime = 24 * time.Hour
	segmentSize = 8 << 20
	// minSegments is how many segments the history has at least when it is full, so
	// that pruning can free a part of it.
	minSegments = 16
)

// target is where the next change is written.
type target struct {
	frames *frames
	view   *view // nil: a new segment
	at     int64 // the offset
}

func (t *target) close() {
	if t.view != nil {
		t.view.close()
	}
}

// target returns the segment to append to: our newest one, unless it is full, a day
// old, or damaged.
func (w *writer) target() (*target, error) {
	newest, sure := w.newestOfOurs()
	if newest != nil && sure && w.takesMore(newest) {
		return &target{frames: newest.frames, view: newest, at: newest.end}, nil
	}
	salt := newSalt()
	if newest != nil {
		newest.close()
		if w.history.o.Secret != "" {
			salt = saltOf(newest.name) // its key is already derived
		}
	}
	frames, err := w.history.frames(newName(w.folder.newest(), w.history.o.Now(), salt))
	return &target{frames: frames}, err
}

// newestOfOurs returns the newest segment of ours that can be read, or nil. If a
// newer segment cannot be read, sure is false: that one may be ours, too.
func (w *writer) newestOfOurs() (newest *view, sure bool) {
	sure = true
	for name := range w.folder.newestFirst() {
		found, err := w.history.readSegment(w.folder, name)
		if err != nil {
			w.history.o.Log.Warn("a part of the history cannot be read", "segment", name, "error", withoutPath(err))
			sure = false
		}
		if found != nil {
			return found, sure
		}
	}
	return nil, sure
}

// takesMore reports whether a segment may be appended to.
func (w *writer) takesMore(v *view) bool {
	full := min(segmentSize, w.history.o.MaxBytes/minSegments)
	age := w.history.o.Now().Sub(stampOf(v.name))
	return !v.broken && v.name != w.history.abandoned && v.end < full && age < segmentTime
}

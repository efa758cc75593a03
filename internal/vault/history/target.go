package history

import "time"

const (
	segmentTime = 24 * time.Hour
	segmentSize = 8 << 20
	// segmentParts is into how many segments at least the room is divided, so
	// that pruning always has something to take away.
	segmentParts = 16
)

// target is where the next change goes.
type target struct {
	*frames
	view *view // nil: a segment that begins with it
	at   int64 // the offset of what is written
}

func (t *target) close() {
	if t.view != nil {
		t.view.close()
	}
}

// target finds the segment to append to: the newest of ours, unless it is full,
// a day old, or not to be trusted.
func (w *writer) target() (*target, error) {
	newest, sure := w.newestOfOurs()
	if newest != nil && sure && w.takesMore(newest) {
		return &target{frames: newest.frames, view: newest, at: newest.end}, nil
	}
	salt := newSalt()
	if newest != nil {
		newest.close()
		if w.o.Secret != "" {
			salt = saltOf(newest.name) // its key is derived already
		}
	}
	made, err := w.frames(newName(w.folder.newest(), w.o.Now(), salt))
	return &target{frames: made}, err
}

// newestOfOurs is the newest segment that can be read; nil: none. It is not
// sure to be the newest of ours if there is one after it that cannot be read.
func (w *writer) newestOfOurs() (newest *view, sure bool) {
	sure = true
	for name := range w.folder.newestFirst() {
		found, err := w.look(w.folder, name)
		if err != nil {
			w.o.Log.Warn("a part of the history cannot be read", "segment", name, "error", withoutPath(err))
			sure = false
		}
		if found != nil {
			return found, sure
		}
	}
	return nil, sure
}

func (w *writer) takesMore(v *view) bool {
	full := min(segmentSize, w.o.Most/segmentParts)
	return !v.broken && v.name != w.abandoned && v.end < full && w.o.Now().Sub(stampOf(v.name)) < segmentTime
}

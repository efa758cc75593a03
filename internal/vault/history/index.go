package history

import (
	"io"
	"os"
	"slices"
)

// view is a segment as it was when it was looked at, with its file open.
type view struct {
	name    string
	frames  *frames
	file    *os.File
	size    int64
	end     int64
	round   int
	broken  bool
	changes []entry // not to be changed
	damaged int
}

func (v *view) close() { v.file.Close() }

// look reads on in a segment, up to what any process has written by now. It gives
// nil for one that is not ours.
func (h *History) look(in *folder, name string) (*view, error) {
	file, size, err := in.open(name)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.segments[name]
	if s == nil {
		s = &segment{name: name}
		h.segments[name] = s
	}
	if err = h.readOn(s, file, size); err != nil || s.frames == nil {
		file.Close()
		return nil, err
	}
	s.shared = true
	return &view{
		name: name, frames: s.frames, file: file, size: size, end: s.end, round: s.round,
		broken: s.broken, changes: slices.Clip(s.changes), damaged: s.damaged,
	}, nil
}

// forget drops what is known of segments that are gone. The caller holds
// neither lock.
func (h *History) forget(in *folder) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name := range h.segments {
		if _, there := slices.BinarySearch(in.names, name); !there {
			delete(h.segments, name)
		}
	}
}

// readOn brings a segment up to date. The caller holds mu.
func (h *History) readOn(s *segment, file io.ReaderAt, size int64) error {
	if s.frames == nil {
		if s.closed || size == s.size || size < int64(headerSize) {
			return nil
		}
		if err := h.identify(s, file, size); err != nil || s.frames == nil {
			return err
		}
	}
	cut, err := s.wasCut(file, size)
	if err != nil {
		return err
	}
	if cut {
		s.restart()
	}
	s.size = size
	return s.scan(file, size)
}

// identify finds out whether a segment is ours. One with a damaged header is if
// anything in it can be read.
func (h *History) identify(s *segment, file io.ReaderAt, size int64) error {
	header := make([]byte, headerSize)
	if _, err := file.ReadAt(header, 0); err != nil {
		return unexpectedEnd(err)
	}
	state := stateOf(s.name, header, h.o.Secret != "")
	if state == headerForeign {
		s.closed = true
		return nil
	}
	made, err := h.frames(s.name)
	if err != nil {
		return err
	}
	if state == headerOurs {
		if !slices.Equal(made.newHeader(), header) {
			s.closed = true
			return nil
		}
		s.frames = made
		s.restart()
		return nil
	}
	tried := &segment{name: s.name, frames: made, broken: true, size: size}
	tried.restart()
	if err := tried.scan(file, size); err != nil {
		return err
	}
	if tried.damaged++; len(tried.changes) == 0 {
		tried.frames = nil
	}
	*s = *tried
	return nil
}

func (h *History) frames(name string) (*frames, error) {
	seal, err := h.keys.sealing(name)
	if err != nil {
		return nil, err
	}
	return &frames{name: name, seal: seal}, nil
}

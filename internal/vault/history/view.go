package history

import (
	"io"
	"os"
	"slices"
)

// view is a snapshot of a segment, with its file open.
type view struct {
	name       string
	frames     *frames
	file       *os.File
	size       int64
	end        int64
	generation int
	broken     bool
	changes    []entry // shared with the segment: read only
	damaged    int
}

func (v *view) close() { v.file.Close() }

// readSegment reads a segment up to what any process has written by now. It returns
// nil for a segment that is not ours.
func (h *History) readSegment(in *folder, name string) (*view, error) {
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
	if err = h.catchUp(s, file, size); err != nil || s.frames == nil {
		file.Close()
		return nil, err
	}
	s.shared = true
	return &view{
		name: name, frames: s.frames, file: file, size: size, end: s.end, generation: s.generation,
		broken: s.broken, changes: slices.Clip(s.changes), damaged: s.damaged,
	}, nil
}

// forget drops the state of segments that were removed. The caller holds neither
// lock.
func (h *History) forget(in *folder) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name := range h.segments {
		if _, present := slices.BinarySearch(in.names, name); !present {
			delete(h.segments, name)
		}
	}
}

// catchUp reads what was appended to a segment since it was last read. The caller
// holds mu.
func (h *History) catchUp(s *segment, file io.ReaderAt, size int64) error {
	if s.frames == nil {
		if s.foreign || size == s.size || size < int64(headerSize) {
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

// identify finds out whether a segment is ours. A segment with a damaged header is
// if anything in it can be read.
func (h *History) identify(s *segment, file io.ReaderAt, size int64) error {
	header := make([]byte, headerSize)
	if _, err := file.ReadAt(header, 0); err != nil {
		return unexpectedEnd(err)
	}
	state := stateOf(s.name, header, h.o.Secret != "")
	switch state {
	case headerForeign:
		s.foreign = true
		return nil
	case headerNewer:
		s.foreign, s.newer = true, true
		h.o.Log.Warn("a newer version of obsidian-mcp has recorded changes that this version cannot show or undo", "segment", s.name)
		return nil
	}
	frames, err := h.frames(s.name)
	if err != nil {
		return err
	}
	if state == headerOurs {
		if !slices.Equal(frames.newHeader(), header) {
			s.foreign = true
			return nil
		}
		s.frames = frames
		s.restart()
		return nil
	}
	attempt := &segment{name: s.name, frames: frames, broken: true, size: size}
	attempt.restart()
	if err := attempt.scan(file, size); err != nil {
		return err
	}
	if attempt.damaged++; len(attempt.changes) == 0 {
		attempt.frames = nil
	}
	*s = *attempt
	return nil
}

func (h *History) frames(name string) (*frames, error) {
	seal, err := h.keys.sealing(name)
	if err != nil {
		return nil, err
	}
	return &frames{name: name, seal: seal}, nil
}

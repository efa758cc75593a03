package history

import (
	"bytes"
	"io"
	"slices"
	"sort"
)

// segment is what has been read of a file of the log: which changes it has and
// where, but not their content.
type segment struct {
	name    string
	frames  *frames // nil: not ours, or not known to be
	foreign bool    // certainly not ours
	newer   bool    // of a newer version of the program
	broken  bool    // the header is damaged: it is read, but not appended to

	size       int64         // of the file when it was last read
	end        int64         // of the last record; anything after it is torn or still being written
	tag        [tagSize]byte // the last bytes before end; if they differ, the file was cut
	changes    []entry       // in the order of the log
	shared     bool          // a view shares changes, so its elements must not be modified
	damaged    int           // how many parts could not be read
	generation int           // how often it was read from its beginning
}

// entry is a change in a segment.
type entry struct {
	id      string
	offset  int64
	settled settled
	sure    bool  // recorded by the process that made the change
	outcome int64 // the offset of the outcome
}

// settled is the state of a change.
type settled uint8

const (
	unsettled settled = iota
	wasMade
	wasDropped
)

// restart forgets everything that was read.
func (s *segment) restart() {
	s.end, s.tag, s.changes, s.damaged = int64(headerSize), [tagSize]byte{}, nil, 0
	s.generation++
}

// wasCut reports whether the file has lost data that was already read: a process that
// could not make a record durable removes it again.
func (s *segment) wasCut(file io.ReaderAt, size int64) (bool, error) {
	if s.end == int64(headerSize) || size < s.end {
		return size < s.end, nil
	}
	var now [tagSize]byte
	if _, err := file.ReadAt(now[:], s.end-tagSize); err != nil {
		return false, unexpectedEnd(err)
	}
	return now != s.tag, nil
}

// scan reads from end to the end of the file. It skips contents, which are verified
// when they are read. It also skips anything unreadable, up to the next frame: if a
// frame follows, that was damage; if not, a torn end.
func (s *segment) scan(file io.ReaderAt, size int64) error {
	w := window{file: file, size: size}
	lost := false
	for at := s.end; at < size; {
		head, err := w.at(at, frameHead)
		if err != nil {
			return err
		}
		kind, length, ok := s.frames.head(head, at)
		next := at + int64(frameHead) + length
		if !ok || next > size {
			lost = true
			if at, err = s.resynchronise(&w, at+1); err != nil {
				return err
			}
			continue
		}
		if kind == changeFrame || kind == outcomeFrame {
			payload, err := w.at(at+int64(frameHead), int(length))
			if err != nil {
				return err
			}
			if s.take(kind, at, payload) {
				s.end, s.tag = next, [tagSize]byte(payload[length-tagSize:])
				s.damaged += int(flag(lost))
			}
			lost = s.end != next
		}
		at = next
	}
	return nil
}

// take adds a record; ok is false if it is damaged.
func (s *segment) take(kind byte, at int64, payload []byte) (ok bool) {
	plain, err := s.frames.open(kind, at, payload)
	if err != nil {
		return false
	}
	if kind == changeFrame {
		id, err := decodeID(plain)
		if err == nil {
			s.changes = append(s.changes, entry{id: id, offset: at})
		}
		return err == nil
	}
	o, err := decodeOutcome(plain)
	if err != nil {
		return false
	}
	if s.shared {
		s.changes, s.shared = slices.Clone(s.changes), false
	}
	if found := s.entryAt(o.change); found != nil && found.id == o.id && !(found.sure && o.guess) {
		found.outcome, found.settled, found.sure = at, wasDropped, !o.guess
		if o.made {
			found.settled = wasMade
		}
	}
	return true
}

// entryAt returns the change whose record is at an offset, or nil.
func (s *segment) entryAt(offset int64) *entry {
	i := sort.Search(len(s.changes), func(i int) bool { return s.changes[i].offset >= offset })
	if i == len(s.changes) || s.changes[i].offset != offset {
		return nil
	}
	return &s.changes[i]
}

// resynchronise returns the offset of the next frame, or the end of the file.
func (s *segment) resynchronise(w *window, at int64) (int64, error) {
	for at < w.size {
		if _, err := w.at(at, frameHead); err != nil {
			return 0, err
		}
		chunk := w.from(at)
		found := bytes.Index(chunk, []byte(frameMark))
		if found < 0 {
			at += int64(max(len(chunk)-len(frameMark)+1, 1))
			continue
		}
		at += int64(found)
		head, err := w.at(at, frameHead)
		if err != nil {
			return 0, err
		}
		if _, _, ok := s.frames.head(head, at); ok {
			return at, nil
		}
		at++
	}
	return w.size, nil
}

// window reads a file in chunks that hold several small frames.
type window struct {
	file  io.ReaderAt
	size  int64
	start int64
	chunk []byte
}

const windowSize = 4 << 10

// at returns count bytes at an offset, or fewer at the end of the file.
func (w *window) at(offset int64, count int) ([]byte, error) {
	count = int(min(int64(count), w.size-offset))
	if have := w.from(offset); len(have) >= count {
		return have[:count], nil
	}
	length := min(int64(max(count, windowSize)), w.size-offset)
	chunk := make([]byte, length)
	read, err := w.file.ReadAt(chunk, offset)
	if read < count {
		return nil, unexpectedEnd(err)
	}
	w.start, w.chunk = offset, chunk[:read]
	return w.chunk[:count], nil
}

// from returns the part of the chunk that starts at an offset.
func (w *window) from(offset int64) []byte {
	if offset < w.start || offset > w.start+int64(len(w.chunk)) {
		return nil
	}
	return w.chunk[offset-w.start:]
}

// unexpectedEnd turns io.EOF into an error: the file was cut while it was read.
func unexpectedEnd(err error) error {
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

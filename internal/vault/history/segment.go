package history

import (
	"bytes"
	"io"
	"slices"
	"sort"
)

// segment is what is known of a file of the log: which changes are in it and
// where, but not what they are.
type segment struct {
	name   string
	frames *frames // nil: it is not ours, or not known to be
	closed bool    // it is surely somebody else's
	broken bool    // its header is damaged: it is read, but nothing is added

	size    int64         // of the file when it was last read
	end     int64         // of the last record; what comes after is torn, or being written
	tag     [tagSize]byte // the last bytes before the end: others there mean that it was cut
	changes []entry       // in the order of the log
	shared  bool          // a view has them too, so that they must not change
	damaged int           // places where something could not be read
	round   int           // how often it was read from its beginning
}

// entry is a change in a segment.
type entry struct {
	id      string
	offset  int64
	settled settled
	sure    bool  // it was said by who made the change
	told    int64 // the offset of the outcome
}

type settled uint8

const (
	unsettled settled = iota
	wasMade
	wasDropped
)

// restart forgets what was read.
func (s *segment) restart() {
	s.end, s.tag, s.changes, s.damaged = int64(headerSize), [tagSize]byte{}, nil, 0
	s.round++
}

// wasCut reports whether the file has lost something that was read of it: who
// could not make a record durable takes it away again.
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

// scan reads on to the file's end. Contents are passed over: who asks for one
// verifies it. A place that cannot be read is passed over as well, to the next
// frame; whether it is damage or a torn end is known when one follows.
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

// take notes a record. It is not ok for one that is damaged.
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
	told, err := decodeOutcome(plain)
	if err != nil {
		return false
	}
	if s.shared {
		s.changes, s.shared = slices.Clone(s.changes), false
	}
	if found := s.entryAt(told.change); found != nil && found.id == told.id && !(found.sure && told.guess) {
		found.told, found.settled, found.sure = at, wasDropped, !told.guess
		if told.made {
			found.settled = wasMade
		}
	}
	return true
}

// entryAt is the change whose record is at an offset; nil: none.
func (s *segment) entryAt(offset int64) *entry {
	i := sort.Search(len(s.changes), func(i int) bool { return s.changes[i].offset >= offset })
	if i == len(s.changes) || s.changes[i].offset != offset {
		return nil
	}
	return &s.changes[i]
}

// resynchronise finds the next place that could be a frame.
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

// window reads a file in pieces that have several small frames.
type window struct {
	file  io.ReaderAt
	size  int64
	begin int64
	piece []byte
}

const windowSize = 4 << 10

// at gives so many bytes at an offset, or those that are left.
func (w *window) at(offset int64, count int) ([]byte, error) {
	count = int(min(int64(count), w.size-offset))
	if have := w.from(offset); len(have) >= count {
		return have[:count], nil
	}
	length := min(int64(max(count, windowSize)), w.size-offset)
	piece := make([]byte, length)
	read, err := w.file.ReadAt(piece, offset)
	if read < count {
		return nil, unexpectedEnd(err)
	}
	w.begin, w.piece = offset, piece[:read]
	return w.piece[:count], nil
}

// from is what was read from an offset on.
func (w *window) from(offset int64) []byte {
	if offset < w.begin || offset > w.begin+int64(len(w.piece)) {
		return nil
	}
	return w.piece[offset-w.begin:]
}

// unexpectedEnd keeps the end of a file that somebody cut meanwhile from being
// taken for the end of what was to be read.
func unexpectedEnd(err error) error {
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

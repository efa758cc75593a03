package cache

import "io"

// file is what a shelf needs of a file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
}

// shelf is a file of records, and where each of them is. What was written is
// never changed.
type shelf struct {
	file   file
	name   string // in the folder; "" where the file has its final name
	places map[recordKey]place
	end    int64 // of the file
	torn   bool  // it ends with what is no record
}

// place is where a frame is.
type place struct {
	offset int64
	length uint32
}

// scan finds the records of a file. It looks at their heads alone: Get
// verifies what it reads. What cannot be followed to the file's end is a
// damaged tail, and left out.
func scan(from file, size int64) *shelf {
	s := &shelf{file: from, places: map[recordKey]place{}, end: size}
	head := make([]byte, frameHead)
	for at := int64(headerSize); at < size; {
		if _, err := from.ReadAt(head, at); err != nil {
			s.torn = true
			break
		}
		key, length, ok := parseHead(head)
		if !ok || int64(length) > size-at {
			s.torn = true
			break
		}
		s.places[key] = place{at, uint32(length)}
		at += int64(length)
	}
	return s
}

// read gives a record's frame, in buffer if that is large enough. It is the
// caller's to verify what is sealed in it.
func (s *shelf) read(key recordKey, at place, buffer []byte) ([]byte, error) {
	if cap(buffer) < int(at.length) {
		buffer = make([]byte, at.length)
	}
	frame := buffer[:at.length]
	if _, err := s.file.ReadAt(frame, at.offset); err != nil {
		return nil, err
	}
	if found, length, ok := parseHead(frame); !ok || found != key || length != len(frame) {
		return nil, errDamaged
	}
	return frame, nil
}

// append adds a record. Where that fails, the shelf is as it was: what was
// written of it is written over by the next.
func (s *shelf) append(key recordKey, frame []byte) error {
	if _, err := s.file.WriteAt(frame, s.end); err != nil {
		return err
	}
	s.places[key] = place{s.end, uint32(len(frame))}
	s.end += int64(len(frame))
	return nil
}

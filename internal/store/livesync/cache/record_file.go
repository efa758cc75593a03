package cache

import "io"

// file is what a recordFile needs of an *os.File.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
}

// recordFile is a file of records with the location of each. Written records never change.
type recordFile struct {
	file      file
	name      string // in the folder; "" once the file has its final name
	locations map[recordKey]location
	end       int64 // of the file
	torn      bool  // the file ends with something that is not a record
}

// location is the location of a frame.
type location struct {
	offset int64
	length uint32
}

// scan locates the records of a file. It reads only their heads: Get verifies the contents. If the heads do not lead to
// the end of the file, the rest is damaged and ignored.
func scan(from file, size int64) *recordFile {
	records := &recordFile{file: from, locations: map[recordKey]location{}, end: size}
	head := make([]byte, frameHead)
	for at := int64(headerSize); at < size; {
		if _, err := from.ReadAt(head, at); err != nil {
			records.torn = true
			break
		}
		key, length, ok := parseHead(head)
		if !ok || int64(length) > size-at {
			records.torn = true
			break
		}
		records.locations[key] = location{at, uint32(length)}
		at += int64(length)
	}
	return records
}

// read returns a record's frame, using buffer if it is large enough. It does not verify the ciphertext.
func (r *recordFile) read(key recordKey, at location, buffer []byte) ([]byte, error) {
	if cap(buffer) < int(at.length) {
		buffer = make([]byte, at.length)
	}
	frame := buffer[:at.length]
	if _, err := r.file.ReadAt(frame, at.offset); err != nil {
		return nil, err
	}
	if found, length, ok := parseHead(frame); !ok || found != key || length != len(frame) {
		return nil, errDamaged
	}
	return frame, nil
}

// append adds a record. If that fails, the next record overwrites whatever was written.
func (r *recordFile) append(key recordKey, frame []byte) error {
	if _, err := r.file.WriteAt(frame, r.end); err != nil {
		return err
	}
	r.locations[key] = location{r.end, uint32(len(frame))}
	r.end += int64(len(frame))
	return nil
}

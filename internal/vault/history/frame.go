package history

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// A frame is a head and a payload. The head has a mark to find it by, the kind, the
// payload's length, and a checksum of these, the segment's name and the frame's
// offset: bytes in a stored note that look like a frame therefore are not taken for
// one. The payload's seal or checksum covers the same.
const (
	frameMark  = "\xf7hf\x1a"
	frameHead  = len(frameMark) + 1 + 4 + 4
	kindAt     = len(frameMark)
	lengthAt   = kindAt + 1
	checkAt    = lengthAt + 4
	maxPayload = 64 << 20
)

// The kinds of frames. Readers skip other kinds.
const (
	contentFrame = 'c'
	changeFrame  = 'r'
	outcomeFrame = 'o'
)

var (
	errDamaged  = errors.New("this part of the history is damaged")
	errTooLarge = errors.New("the change has too many files for a record")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frames writes and reads the frames of a segment.
type frames struct {
	name string
	seal sealing
}

// append appends a frame to bytes that will be written at an offset of the segment.
func (f *frames) append(to []byte, offset int64, kind byte, plain []byte) ([]byte, error) {
	at := offset + int64(len(to))
	head := len(to)
	to = append(to, frameMark...)
	to = append(to, kind, 0, 0, 0, 0, 0, 0, 0, 0)
	to = f.seal.close(to, plain, f.bound(at, kind))
	length := len(to) - head - frameHead
	if length > maxPayload {
		return nil, errTooLarge
	}
	binary.LittleEndian.PutUint32(to[head+lengthAt:], uint32(length))
	binary.LittleEndian.PutUint32(to[head+checkAt:], f.check(to[head:head+checkAt], at))
	return to, nil
}

// head reads a frame's head; ok is false if the bytes are not one.
func (f *frames) head(raw []byte, at int64) (kind byte, length int64, ok bool) {
	if len(raw) < frameHead || string(raw[:kindAt]) != frameMark {
		return 0, 0, false
	}
	if binary.LittleEndian.Uint32(raw[checkAt:]) != f.check(raw[:checkAt], at) {
		return 0, 0, false
	}
	length = int64(binary.LittleEndian.Uint32(raw[lengthAt:]))
	return raw[kindAt], length, length >= tagSize && length <= maxPayload
}

// open returns the content of a payload if it is unchanged and was written at this offset.
func (f *frames) open(kind byte, at int64, payload []byte) ([]byte, error) {
	return f.seal.open(payload, f.bound(at, kind))
}

func (f *frames) check(head []byte, at int64) uint32 {
	sum := crc32.Update(0, castagnoli, f.bound(at, head[kindAt]))
	return crc32.Update(sum, castagnoli, head)
}

// bound is the data that ties a frame to its place.
func (f *frames) bound(at int64, kind byte) []byte {
	bound := make([]byte, 0, len(f.name)+9)
	bound = append(bound, f.name...)
	bound = binary.LittleEndian.AppendUint64(bound, uint64(at))
	return append(bound, kind)
}

// readFrame returns the payload of the frame at an offset, which must be of a kind.
func (f *frames) readFrame(file io.ReaderAt, size int64, kind byte, at int64) ([]byte, error) {
	if at < int64(headerSize) || at > size-int64(frameHead) {
		return nil, errDamaged
	}
	head := make([]byte, frameHead)
	if _, err := file.ReadAt(head, at); err != nil {
		return nil, unexpectedEnd(err)
	}
	found, length, ok := f.head(head, at)
	if at += int64(frameHead); !ok || found != kind || length > size-at {
		return nil, errDamaged
	}
	payload := make([]byte, length)
	if _, err := file.ReadAt(payload, at); err != nil {
		return nil, unexpectedEnd(err)
	}
	return f.open(kind, at-int64(frameHead), payload)
}

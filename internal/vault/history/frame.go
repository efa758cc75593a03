package history

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// A frame is a head and a payload. The head has a mark to find it by, the
// kind, the payload's length, and a checksum of these, of the segment's name and
// of the frame's offset: so what looks like a frame inside of a note that is
// kept is none. The payload is sealed, or ends with a checksum, over the same.
const (
	frameMark  = "\xf7hf\x1a"
	frameHead  = len(frameMark) + 1 + 4 + 4
	kindAt     = len(frameMark)
	lengthAt   = kindAt + 1
	checkAt    = lengthAt + 4
	maxPayload = 64 << 20
)

// The kinds of frames. Those of other kinds are passed over.
const (
	contentFrame = 'c'
	changeFrame  = 'r'
	outcomeFrame = 'o'
)

var (
	errDamaged  = errors.New("the history is damaged there")
	errTooLarge = errors.New("it has more files than a record can have")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frames writes and reads the frames of one segment.
type frames struct {
	name string
	seal sealing
}

// append adds a frame to bytes that will be at an offset of the segment.
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

// head reads a frame's head. It is not ok for what is none.
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

// open gives what is in a payload, if it is just that which was written there.
func (f *frames) open(kind byte, at int64, payload []byte) ([]byte, error) {
	return f.seal.open(payload, f.bound(at, kind))
}

func (f *frames) check(head []byte, at int64) uint32 {
	sum := crc32.Update(0, castagnoli, f.bound(at, head[kindAt]))
	return crc32.Update(sum, castagnoli, head)
}

// bound is what a frame is tied to.
func (f *frames) bound(at int64, kind byte) []byte {
	made := make([]byte, 0, len(f.name)+9)
	made = append(made, f.name...)
	made = binary.LittleEndian.AppendUint64(made, uint64(at))
	return append(made, kind)
}

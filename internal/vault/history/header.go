package history

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// version is that of the segments' form. It changes whenever an older program
// would misread it.
const version = 1

// A segment begins with the magic, the version, whether it is sealed, a code
// that only who knows the secret can make, and a checksum, by which a header of
// somebody else's is told from a damaged one.
const (
	magic       = "OBHIST\r\n"
	versionAt   = len(magic)
	sealedAt    = versionAt + 4
	codeAt      = sealedAt + 4
	headerSumAt = codeAt + sha256.Size
	headerSize  = headerSumAt + 4
)

// What a header can say.
type headerState int

const (
	headerOurs headerState = iota
	headerForeign
	headerDamaged
)

func (f *frames) newHeader() []byte {
	header := binary.LittleEndian.AppendUint32([]byte(magic), version)
	_, isSealed := f.seal.(encrypted)
	header = append(header, flag(isSealed), 0, 0, 0)
	header = append(header, f.seal.code(header)...)
	return binary.LittleEndian.AppendUint32(header, headerSum(f.name, header))
}

// stateOf reads a header as far as that needs no key.
func stateOf(name string, header []byte, wantSealed bool) headerState {
	if binary.LittleEndian.Uint32(header[headerSumAt:]) != headerSum(name, header[:headerSumAt]) {
		return headerDamaged
	}
	form := binary.LittleEndian.AppendUint32([]byte(magic), version)
	if !slices.Equal(header[:sealedAt], form) || header[sealedAt] != flag(wantSealed) {
		return headerForeign
	}
	return headerOurs
}

func headerSum(name string, header []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(name), castagnoli), castagnoli, header)
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

package history

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// version is the version of the segment format. It changes whenever an older program
// would misread the new format.
const version = 1

// A segment begins with the magic, the version, whether it is encrypted, a code that
// requires the secret to compute, and a checksum, which tells a foreign header from
// a damaged one. All versions begin like this.
const (
	magic       = "OBHIST\r\n"
	versionAt   = len(magic)
	sealedAt    = versionAt + 4
	codeAt      = sealedAt + 4
	headerSumAt = codeAt + sha256.Size
	headerSize  = headerSumAt + 4
)

// headerState is what can be learnt from a header without a key.
type headerState int

const (
	headerOurs headerState = iota
	headerForeign
	headerNewer
	headerDamaged
)

func (f *frames) newHeader() []byte {
	header := binary.LittleEndian.AppendUint32([]byte(magic), version)
	_, isSealed := f.seal.(encrypted)
	header = append(header, flag(isSealed), 0, 0, 0)
	header = append(header, f.seal.code(header)...)
	return binary.LittleEndian.AppendUint32(header, headerSum(f.name, header))
}

// stateOf examines a header without a key.
func stateOf(name string, header []byte, wantSealed bool) headerState {
	if binary.LittleEndian.Uint32(header[headerSumAt:]) != headerSum(name, header[:headerSumAt]) {
		return headerDamaged
	}
	if string(header[:versionAt]) == magic && binary.LittleEndian.Uint32(header[versionAt:]) > version {
		return headerNewer
	}
	want := binary.LittleEndian.AppendUint32([]byte(magic), version)
	if !slices.Equal(header[:sealedAt], want) || header[sealedAt] != flag(wantSealed) {
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

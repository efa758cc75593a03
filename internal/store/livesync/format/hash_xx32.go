package format

import (
	"encoding/binary"
	"math/bits"
)

const (
	xxPrime1 = 2654435761
	xxPrime2 = 2246822519
	xxPrime3 = 3266489917
	xxPrime4 = 668265263
	xxPrime5 = 374761393
)

// xxhash32 computes XXH32 with seed 0.
func xxhash32(data string) uint32 {
	length := len(data)
	hash := uint32(xxPrime5)
	if length >= 16 {
		hash, data = xxStripes(data)
	}
	hash += uint32(length)
	for ; len(data) >= 4; data = data[4:] {
		hash = bits.RotateLeft32(hash+xxWord(data)*xxPrime3, 17) * xxPrime4
	}
	for ; data != ""; data = data[1:] {
		hash = bits.RotateLeft32(hash+uint32(data[0])*xxPrime5, 11) * xxPrime1
	}
	hash = (hash ^ hash>>15) * xxPrime2
	hash = (hash ^ hash>>13) * xxPrime3
	return hash ^ hash>>16
}

// xxStripes hashes all complete stripes of 16 bytes, and returns the remaining data.
func xxStripes(data string) (uint32, string) {
	first, second := uint32(xxPrime1), uint32(xxPrime2)
	lanes := [4]uint32{first + second, second, 0, -first}
	for ; len(data) >= 16; data = data[16:] {
		for i := range lanes {
			lanes[i] = bits.RotateLeft32(lanes[i]+xxWord(data[4*i:])*xxPrime2, 13) * xxPrime1
		}
	}
	return bits.RotateLeft32(lanes[0], 1) + bits.RotateLeft32(lanes[1], 7) +
		bits.RotateLeft32(lanes[2], 12) + bits.RotateLeft32(lanes[3], 18), data
}

func xxWord(data string) uint32 { return binary.LittleEndian.Uint32([]byte(data[:4])) }

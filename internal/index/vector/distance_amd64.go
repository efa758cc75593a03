package vector

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// distances sets out to how many signs of each passage differ from the question's, shifted so that they fit into a byte.
func (q *Query) distances(signs []byte, out []uint8) {
	if cpu.X86.HasPOPCNT && len(out) > 0 && q.width == fastWidth {
		distancesPOPCNT(unsafe.SliceData(signs[:len(out)*fastWidth]), len(out), (*[4]uint64)(q.signs), unsafe.SliceData(out))
	} else {
		q.distancesEach(signs, out)
	}
}

// fastWidth is the width of the vectors that the program itself makes.
const fastWidth = 32

// distancesPOPCNT counts the bits of 64 signs at once.
//
//go:noescape
func distancesPOPCNT(signs *byte, count int, question *[4]uint64, out *uint8)

package vector

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// distances sets out to how many signs of each passage differ from the question's; at most 255.
func (q *Query) distances(signs []byte, out []uint8) {
	if cpu.X86.HasPOPCNT && len(out) > 0 {
		distancesPOPCNT(unsafe.SliceData(signs[:len(out)*signSize]), len(out), &q.signs, unsafe.SliceData(out))
	} else {
		q.distancesEach(signs, out)
	}
}

// distancesPOPCNT counts the bits of 64 signs at once.
//
//go:noescape
func distancesPOPCNT(signs *byte, count int, question *[4]uint64, out *uint8)

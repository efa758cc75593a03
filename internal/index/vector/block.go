// Package vector compares texts by what they mean. The passages of a note are kept as vectors; a question is compared with
// all of them, first by the signs of their numbers and then, the closest ones, by the numbers themselves.
package vector

import (
	"encoding/binary"
	"math"

	"obsidian-mcp/internal/text/meaning"
)

// Block is the vectors of a note's passages. Their numbers have four bits. The signs are apart from the other bits, because most
// passages are compared by them alone: those of all notes are best kept one after the other in memory.
type Block struct {
	signs []byte
	rest  []byte
	owner any // keeps the memory alive
}

// The sizes of what a block holds of each passage. In rest, all starts come before all scales, and these before the planes.
const (
	signSize  = meaning.Dimensions / 8
	startSize = 4 // where it begins in the text
	scaleSize = 4
	planeSize = 3 * signSize // the lowest bits of all numbers, the second ones, the third ones
	restSize  = startSize + scaleSize + planeSize

	passageSize = signSize + restSize
)

// Len is the number of passages.
func (b Block) Len() int { return len(b.signs) / signSize }

// Size is the number of bytes.
func (b Block) Size() int { return b.Len() * passageSize }

func (b Block) start(i int) int { return int(binary.LittleEndian.Uint32(b.rest[i*startSize:])) }

func (b Block) scale(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b.rest[b.Len()*startSize+i*scaleSize:]))
}

// planes are the bits of a passage that are not signs.
func (b Block) planes(i int) []byte {
	from := b.Len()*(startSize+scaleSize) + i*planeSize
	return b.rest[from : from+planeSize]
}

// largest is the largest number in four bits.
const largest = 7

// encode makes a block of the vectors of passages, which must have length one, and of where these begin.
func encode(starts []int, vectors []meaning.Vector) Block {
	b := Block{signs: make([]byte, len(starts)*signSize), rest: make([]byte, len(starts)*restSize)}
	for i := range vectors {
		scale := scaleOf(&vectors[i])
		binary.LittleEndian.PutUint32(b.rest[i*startSize:], uint32(starts[i]))
		binary.LittleEndian.PutUint32(b.rest[len(starts)*startSize+i*scaleSize:], math.Float32bits(scale))
		if scale > 0 {
			pack(&vectors[i], 1/scale, b.signs[i*signSize:(i+1)*signSize], b.planes(i))
		}
	}
	return b
}

// pack rounds the numbers of a vector, multiplied by a factor, to four bits, and puts the bits into planes.
func pack(v *meaning.Vector, factor float32, signs, planes []byte) {
	low, middle, high := planes[:signSize], planes[signSize:2*signSize], planes[2*signSize:3*signSize]
	for at := range signs {
		var bits uint32 // of eight numbers: a byte for each plane
		for bit, x := range v[8*at : 8*at+8] {
			number := uint32(x*factor+16.5) & 15 // 16 more, so that cutting off rounds
			bits |= (number&1 | number&2<<7 | number&4<<14 | number&8<<21) << bit
		}
		low[at], middle[at], high[at], signs[at] = byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24)
	}
}

// scaleOf is what the largest number of four bits stands for.
func scaleOf(v *meaning.Vector) float32 {
	most := uint32(0)
	for _, x := range v {
		most = max(most, math.Float32bits(x)&math.MaxInt32) // without its sign; bits are in the order of the numbers
	}
	return math.Float32frombits(most) / largest
}

// vector returns the vector of a passage.
func (b Block) vector(i int) meaning.Vector {
	var v meaning.Vector
	scale, planes, signs := b.scale(i), b.planes(i), b.signs[i*signSize:]
	for dimension := range v {
		at, bit := dimension/8, byte(1)<<(dimension%8)
		number := 0
		for plane := range 3 {
			if planes[plane*signSize+at]&bit != 0 {
				number += 1 << plane
			}
		}
		if signs[at]&bit != 0 {
			number -= 8
		}
		v[dimension] = scale * float32(number)
	}
	return v
}

// Mean is the direction of all passages together.
func (b Block) Mean() *meaning.Vector {
	sum := new(meaning.Vector)
	for i := range b.Len() {
		v := b.vector(i)
		sum.Add(&v)
	}
	sum.Unit()
	return sum
}

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
	count int // of passages
	width width
	signs []byte
	rest  []byte
	owner any // keeps the memory alive
}

// The sizes of what a block holds of each passage. In rest, all starts come before all scales, and these before the planes: the
// lowest bits of all numbers, the second ones, the third ones.
const (
	startSize = 4 // where it begins in the text
	scaleSize = 4
)

// width is how many bytes the signs of a vector take. Vectors are filled up with zeros to a multiple of 64 numbers.
type width int

func widthOf(dimensions int) width { return width((dimensions + 63) / 64 * 8) }

// rest is the bytes of a passage that are not signs.
func (w width) rest() int { return startSize + scaleSize + 3*int(w) }

// Len is the number of passages.
func (b Block) Len() int { return b.count }

// Size is the number of bytes.
func (b Block) Size() int { return len(b.signs) + len(b.rest) }

func (b Block) signsOf(i int) []byte { return b.signs[i*int(b.width) : (i+1)*int(b.width)] }

func (b Block) start(i int) int { return int(binary.LittleEndian.Uint32(b.rest[i*startSize:])) }

func (b Block) scale(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b.rest[b.Len()*startSize+i*scaleSize:]))
}

// planes are the bits of a passage that are not signs.
func (b Block) planes(i int) []byte {
	size := 3 * int(b.width)
	from := b.Len()*(startSize+scaleSize) + i*size
	return b.rest[from : from+size]
}

// largest is the largest number in four bits.
const largest = 7

// encode makes a block of the vectors of passages, which must have length one and equally many numbers, and of where the
// passages begin.
func encode(starts []int, vectors []meaning.Vector) Block {
	if len(vectors) == 0 {
		return Block{}
	}
	w := widthOf(len(vectors[0]))
	b := Block{count: len(starts), width: w, signs: make([]byte, len(starts)*int(w)), rest: make([]byte, len(starts)*w.rest())}
	for i, v := range vectors {
		scale := scaleOf(v)
		binary.LittleEndian.PutUint32(b.rest[i*startSize:], uint32(starts[i]))
		binary.LittleEndian.PutUint32(b.rest[len(starts)*startSize+i*scaleSize:], math.Float32bits(scale))
		if scale > 0 {
			pack(v, 1/scale, b.signsOf(i), b.planes(i))
		}
	}
	return b
}

// pack rounds the numbers of a vector, multiplied by a factor, to four bits, and puts the bits into planes.
func pack(v meaning.Vector, factor float32, signs, planes []byte) {
	low, middle, high := inThree(planes)
	for at := range min(len(signs), (len(v)+7)/8) {
		var bits uint32 // of eight numbers: a byte for each plane
		for bit, x := range v[8*at : min(8*at+8, len(v))] {
			number := uint32(x*factor+16.5) & 15 // 16 more, so that cutting off rounds
			bits |= (number&1 | number&2<<7 | number&4<<14 | number&8<<21) << bit
		}
		low[at], middle[at], high[at], signs[at] = byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24)
	}
}

// inThree returns the planes of a passage.
func inThree(planes []byte) (low, middle, high []byte) {
	size := len(planes) / 3
	return planes[:size], planes[size : 2*size], planes[2*size:]
}

// scaleOf is what the largest number of four bits stands for.
func scaleOf(v meaning.Vector) float32 {
	most := uint32(0)
	for _, x := range v {
		most = max(most, math.Float32bits(x)&math.MaxInt32) // without its sign; bits are in the order of the numbers
	}
	return math.Float32frombits(most) / largest
}

// vector returns the vector of a passage, with the zeros that it was filled up with.
func (b Block) vector(i int) meaning.Vector {
	v := make(meaning.Vector, 8*b.width)
	scale, signs := b.scale(i), b.signsOf(i)
	low, middle, high := inThree(b.planes(i))
	for dimension := range v {
		at, bit := dimension/8, byte(1)<<(dimension%8)
		number := 0
		for plane, bits := range [][]byte{low, middle, high} {
			if bits[at]&bit != 0 {
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
func (b Block) Mean() meaning.Vector {
	sum := make(meaning.Vector, 8*b.width)
	for i := range b.Len() {
		sum.Add(b.vector(i))
	}
	sum.Unit()
	return sum
}

// Package vector compares texts by what they mean. The passages of a note are kept as vectors; a question is compared with
// all of them, first by the signs of their numbers and then, the closest ones, by the numbers themselves.
package vector

import (
	"encoding/binary"
	"math"

	"obsidian-mcp/internal/text/meaning"
)

// Block is the vectors of a note's passages.
type Block struct {
	part  *part
	first uint32 // its first passage, in the part
	count uint32 // of passages
}

// part is the vectors of one or more notes. Their numbers have three bits. The signs are apart from the other bits, because most
// passages are compared by them alone: those of all notes are best kept one after the other in memory.
type part struct {
	width width
	signs []byte
	rest  []byte
	owner any // keeps the memory alive; nil if it is the heap's
}

// The sizes of what a block holds of each passage. In its rest, all starts come before all scales, and these before the planes: the
// lower bits of all numbers and the higher ones.
const (
	startSize = 4 // where it begins in the text
	scaleSize = 4
)

// width is how many bytes the signs of a vector take. Vectors are filled up with zeros to a multiple of 64 numbers.
type width int

func widthOf(dimensions int) width { return width((dimensions + 63) / 64 * 8) }

// rest is the bytes of a passage that are not signs.
func (w width) rest() int { return startSize + scaleSize + 2*int(w) }

// Len is the number of passages.
func (b Block) Len() int { return int(b.count) }

// Size is the number of bytes.
func (b Block) Size() int { return len(b.signs()) + len(b.rest()) }

// width is that of the vectors; 0 if there are none.
func (b Block) width() width {
	if b.part == nil {
		return 0
	}
	return b.part.width
}

func (b Block) signs() []byte {
	if b.part == nil {
		return nil
	}
	w := int(b.part.width)
	return b.part.signs[int(b.first)*w:][:int(b.count)*w]
}

func (b Block) rest() []byte {
	if b.part == nil {
		return nil
	}
	size := b.part.width.rest()
	return b.part.rest[int(b.first)*size:][:int(b.count)*size]
}

func (b Block) signsOf(i int) []byte {
	w := int(b.part.width)
	return b.part.signs[(int(b.first)+i)*w:][:w]
}

func (b Block) start(i int) int { return int(binary.LittleEndian.Uint32(b.rest()[i*startSize:])) }

func (b Block) scale(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b.rest()[b.Len()*startSize+i*scaleSize:]))
}

// planes are the bits of a passage that are not signs.
func (b Block) planes(i int) []byte {
	size := 2 * int(b.part.width)
	return b.rest()[b.Len()*(startSize+scaleSize)+i*size:][:size]
}

// encode makes a block of the vectors of passages, which must have length one and equally many numbers, and of where the
// passages begin.
func encode(starts []int, vectors []meaning.Vector) Block {
	if len(vectors) == 0 {
		return Block{}
	}
	w := widthOf(len(vectors[0]))
	own := &part{width: w, signs: make([]byte, len(starts)*int(w)), rest: make([]byte, len(starts)*w.rest())}
	b := Block{part: own, count: uint32(len(starts))}
	for i, v := range vectors {
		fineness, scale := rounding(v)
		binary.LittleEndian.PutUint32(own.rest[i*startSize:], uint32(starts[i]))
		binary.LittleEndian.PutUint32(own.rest[len(starts)*startSize+i*scaleSize:], math.Float32bits(scale))
		pack(v, fineness, b.signsOf(i), b.planes(i))
	}
	return b
}

// A number is rounded to a sign and a size from 0 to 3, times the scale of its passage.
const largestSize = 3

// sizeOf rounds a number without its sign.
func sizeOf(x, fineness float32) uint32 { return uint32(min(unsigned(x)*fineness+0.5, largestSize)) }

func unsigned(x float32) float32 { return math.Float32frombits(math.Float32bits(x) & math.MaxInt32) }

// rounding finds how finely the numbers of a vector are best rounded, and what the size 1 then stands for: with this scale, the dot
// product of the vector and its rounded form is one, so scores are right on average. A vector without a direction has the scale 0.
func rounding(v meaning.Vector) (fineness, scale float32) {
	const (
		forNormal = 1.536 // the best if numbers are normally distributed with a variance of one
		coarser   = 1.5   // each attempt is this much coarser
	)
	most, likeness := float32(0), float32(0)
	for _, x := range v {
		most = max(most, unsigned(x))
	}
	for attempt := forNormal * float32(math.Sqrt(float64(len(v)))); ; attempt /= coarser {
		product, square := float32(0), float32(0)
		for _, x := range v {
			size := float32(sizeOf(x, attempt))
			product += size * unsigned(x)
			square += size * size
		}
		if product*product > likeness*square {
			likeness, fineness, scale = product*product/square, attempt, 1/product
		}
		if !(most*attempt > largestSize+0.5) { // nothing was cut down to the largest size
			return fineness, scale
		}
	}
}

// pack rounds the numbers of a vector, and puts their bits into planes.
func pack(v meaning.Vector, fineness float32, signs, planes []byte) {
	low, high := inTwo(planes)
	for at := range min(len(signs), (len(v)+7)/8) {
		var bits uint32 // of eight numbers: a byte for each plane
		for bit, x := range v[8*at : min(8*at+8, len(v))] {
			size := sizeOf(x, fineness)
			bits |= (size&1 | size&2<<7 | math.Float32bits(x)>>31<<16) << bit
		}
		low[at], high[at], signs[at] = byte(bits), byte(bits>>8), byte(bits>>16)
	}
}

// inTwo returns the planes of a passage.
func inTwo(planes []byte) (low, high []byte) {
	size := len(planes) / 2
	return planes[:size], planes[size:]
}

// vector returns the vector of a passage, with the zeros that it was filled up with.
func (b Block) vector(i int) meaning.Vector {
	v := make(meaning.Vector, 8*b.part.width)
	scale, signs := b.scale(i), b.signsOf(i)
	low, high := inTwo(b.planes(i))
	for dimension := range v {
		at, bit := dimension/8, dimension%8
		v[dimension] = scale * float32(low[at]>>bit&1+high[at]>>bit&1<<1)
		if signs[at]>>bit&1 != 0 {
			v[dimension] = -v[dimension]
		}
	}
	return v
}

// Mean is the direction of all passages together.
func (b Block) Mean() meaning.Vector {
	sum := make(meaning.Vector, 8*b.width())
	for i := range b.Len() {
		sum.Add(b.vector(i))
	}
	sum.Unit()
	return sum
}

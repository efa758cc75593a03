package vector

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/text/order"
)

// Query is a vector that passages are compared with.
type Query struct {
	width width
	shift int // what distances are halved by, so that all fit into a byte
	signs []uint64
	sums  [][256]float32 // of the numbers that a byte of bits selects, by place and byte
}

// NewQuery prepares a vector, which must have length one, for comparisons.
func NewQuery(v meaning.Vector) *Query {
	q := &Query{width: widthOf(len(v))}
	q.signs, q.sums = make([]uint64, q.width/8), make([][256]float32, q.width)
	for 8*int(q.width)>>q.shift > math.MaxUint8+1 {
		q.shift++
	}
	for i, x := range v {
		if x < 0 {
			q.signs[i/64] |= 1 << (i % 64)
		}
	}
	for place := range q.sums {
		for selected := 1; selected < 256; selected++ {
			lowest := bits.TrailingZeros8(uint8(selected))
			q.sums[place][selected] = q.sums[place][selected&(selected-1)]
			if at := 8*place + lowest; at < len(v) {
				q.sums[place][selected] += v[at]
			}
		}
	}
	return q
}

// Hit is a note with its closest passage.
type Hit struct {
	Note  int     // its place among the blocks
	Score float32 // the cosine; 1 is the same direction
	Start int     // of the passage, in the text
}

// compared is how many passages, the closest by their signs, are compared by all bits. The closest by all bits are nearly
// always among them.
const compared = 4096

// Closest returns the notes with the passages that are closest to the question, the closest first, and notes that are equally
// close in the order of compare. Notes without a block, with vectors of another width, or whose passages all score less than
// least, are left out.
func (q *Query) Closest(blocks []Block, count int, least float32, compare func(a, b int) int) []Hit {
	defer runtime.KeepAlive(blocks)
	blocks = q.comparable(blocks)
	scratch := distances.Get().(*[]uint8)
	defer distances.Put(scratch)
	all := q.allDistances(blocks, (*scratch)[:0])
	*scratch = all
	limit := farthest(all, compared)
	var hits []Hit
	at := 0
	for note, block := range blocks {
		size := block.Len()
		best := Hit{Note: note, Score: -2}
		for i, distance := range all[at : at+size] {
			if distance > limit {
				continue
			}
			if score := q.score(block, i); score > best.Score {
				best.Score, best.Start = score, block.start(i)
			}
		}
		at += size
		if best.Score >= least {
			hits = append(hits, best)
		}
	}
	order.By(hits, func(a, b Hit) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return compare(a.Note, b.Note)
	})
	return hits[:min(count, len(hits))]
}

// comparable returns blocks without those whose vectors have another width.
func (q *Query) comparable(blocks []Block) []Block {
	isOther := func(b Block) bool { return b.Len() > 0 && b.width() != q.width }
	if !slices.ContainsFunc(blocks, isOther) {
		return blocks
	}
	blocks = slices.Clone(blocks)
	for i, block := range blocks {
		if isOther(block) {
			blocks[i] = Block{}
		}
	}
	return blocks
}

var distances = sync.Pool{New: func() any { return new([]uint8) }}

// allDistances returns, for each passage, how many signs differ from the question's, shifted so that they fit into a byte.
func (q *Query) allDistances(blocks []Block, scratch []uint8) []uint8 {
	count := 0
	for _, block := range blocks {
		count += block.Len()
	}
	all := slices.Grow(scratch, count)[:count]
	rest := all
	for _, block := range blocks {
		size := block.Len()
		q.distances(block.signs(), rest[:size])
		rest = rest[size:]
	}
	return all
}

// distancesEach is distances for any processor.
func (q *Query) distancesEach(signs []byte, out []uint8) {
	for i := range out {
		different := 0
		for j, wanted := range q.signs {
			different += bits.OnesCount64(binary.LittleEndian.Uint64(signs[i*int(q.width)+8*j:]) ^ wanted)
		}
		out[i] = uint8(min(different>>q.shift, math.MaxUint8))
	}
}

// farthest returns the distance up to which there are at least count passages, or all.
func farthest(all []uint8, count int) uint8 {
	var having [math.MaxUint8 + 1]int
	for _, distance := range all {
		having[distance]++
	}
	for distance, more := range having {
		if count -= more; count <= 0 {
			return uint8(distance)
		}
	}
	return math.MaxUint8
}

// Score is how close a passage is to a question.
type Score struct {
	Start  int // of the passage, in the text
	Cosine float32
}

// Scores compares all passages of a note.
func (q *Query) Scores(block Block) []Score {
	defer runtime.KeepAlive(block)
	if block.width() != q.width {
		return nil
	}
	scores := make([]Score, block.Len())
	for i := range scores {
		scores[i] = Score{block.start(i), q.score(block, i)}
	}
	return scores
}

// score is the cosine of the question and a passage.
func (q *Query) score(block Block, i int) float32 {
	signs := block.signsOf(i)[:len(q.sums)]
	low, high := inTwo(block.planes(i))
	low, high = low[:len(q.sums)], high[:len(q.sums)] // of the same length, so that it is checked once
	var ones, twos, minusOnes, minusTwos float32
	for place := range q.sums {
		sums := &q.sums[place]
		ones += sums[low[place]]
		twos += sums[high[place]]
		minusOnes += sums[low[place]&signs[place]]
		minusTwos += sums[high[place]&signs[place]]
	}
	return block.scale(i) * (ones - 2*minusOnes + 2*(twos-2*minusTwos))
}

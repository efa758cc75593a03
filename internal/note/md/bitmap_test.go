package md

import (
	"bytes"
	"testing"

	"obsidian-mcp/internal/testkit/mode"
)

// TestFastAndPortableBitmapsAgree compares the fast implementations with the portable one on random bytes.
func TestFastAndPortableBitmapsAgree(t *testing.T) {
	random := mode.Rand(3)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for round := range mode.Pick(500, 2000, 20_000) {
		src := bytes.Clone(every)
		random.Shuffle(len(src), func(i, j int) { src[i], src[j] = src[j], src[i] })
		words := len(src) / blockSize
		ends, marks := make([]uint64, words), make([]uint64, words)
		wantEnds, wantMarks := make([]uint64, words), make([]uint64, words)
		classifyEach(src, wantEnds, wantMarks)
		for name, classify := range map[string]func([]byte, []uint64, []uint64){
			"best": classifyBlocks, "old": classifyOld,
		} {
			classify(src, ends, marks)
			for i := range ends {
				if ends[i] != wantEnds[i] || marks[i] != wantMarks[i] {
					t.Fatalf("%s, round %d, block %d of %q: %x %x, want %x %x",
						name, round, i, src, ends[i], marks[i], wantEnds[i], wantMarks[i])
				}
			}
		}
	}
}

func TestNextStepsFromBitToBit(t *testing.T) {
	src := bytes.Repeat([]byte("plain text "), 50)
	src[3], src[200], src[len(src)-1] = '[', '#', '<'
	var b bitmaps
	b.cover(src, 0, len(src))
	var found []int
	for pos := 0; ; pos++ {
		if pos = next(b.marks, pos, len(src)); pos == len(src) {
			break
		}
		found = append(found, pos)
	}
	if len(found) != 3 || found[0] != 3 || found[1] != 200 || found[2] != len(src)-1 {
		t.Errorf("next found marks at %v, want 3, 200 and %d", found, len(src)-1)
	}
	if got := next(b.marks, 4, 100); got != 100 {
		t.Errorf("next(4, 100) = %d, want 100: there is no mark in between", got)
	}
}

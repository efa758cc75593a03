package vault

import (
	"fmt"
	"runtime/debug"
	"testing"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// percent is the GC percentage.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

// TestSavingMemoryEnds: however two that save memory overlap, the collector then runs as often as before.
func TestSavingMemoryEnds(t *testing.T) {
	usual := percent()
	for _, firstEndsFirst := range []bool{true, false} {
		first, second := saveMemory(20), saveMemory(10)
		if got := percent(); got != 10 {
			t.Errorf("with both, the percentage is %d", got)
		}
		left := 20
		if firstEndsFirst {
			first, second, left = second, first, 10
		}
		second()
		if got := percent(); got != left {
			t.Errorf("with one, the percentage is %d, want %d", got, left)
		}
		first()
		if got := percent(); got != usual {
			t.Errorf("afterwards, the percentage is %d, want %d", got, usual)
		}
	}
}

// TestLimitGarbage: only a large index in memory makes the collector run more often.
func TestLimitGarbage(t *testing.T) {
	usual := percent()
	for _, files := range []int{manyInRAM, manyInRAM - 1} {
		builder := index.NewBuilder(new(index.Memory))
		var parser index.Parser
		for i := range files {
			builder.Add(parser.Parse(vpath.Path(fmt.Sprintf("%d.md", i)), nil))
		}
		s, err := builder.Finish(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := usual
		if files == manyInRAM {
			want = gcManyInRAM
		}
		v := new(Vault)
		v.limitGarbage(s)
		if got := percent(); got != want {
			t.Errorf("%d files: the percentage is %d, want %d", files, got, want)
		}
		if v.restoreGC != nil {
			v.restoreGC()
		}
		if got := percent(); got != usual {
			t.Errorf("%d files: after closing, the percentage is %d, want %d", files, got, usual)
		}
	}
}

// TestIdling: memory is given back once when calls have ended, not between them, and not for the little that a server at rest needs.
func TestIdling(t *testing.T) {
	total, given := uint64(worthFreeing), 0
	idle := idling{allocated: func() uint64 { return total }, giveBack: func() { given++ }}
	for step, want := range []struct {
		more  uint64 // allocated since the last check
		given int
	}{
		{0, 0}, {0, 1}, {0, 1}, {worthFreeing, 1}, {worthFreeing, 1}, {100, 2}, {100, 2}, {worthFreeing / 2, 2}, {100, 2}, {worthFreeing / 2, 2}, {0, 3},
	} {
		total += want.more
		if idle.check(); given != want.given {
			t.Fatalf("step %d: memory was given back %d times, want %d", step, given, want.given)
		}
	}
	for range 2 * worthFreeing / quietGarbage {
		total += quietGarbage - 1
		if idle.check(); given != 3 {
			t.Fatal("an idle program gives memory back")
		}
	}
}

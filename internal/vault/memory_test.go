package vault

import (
	"runtime/debug"
	"testing"
)

// TestSavingMemoryEnds: however two that save memory overlap, the collector then runs as often as before.
func TestSavingMemoryEnds(t *testing.T) {
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
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

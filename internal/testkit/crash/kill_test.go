package crash

import (
	"fmt"
	"testing"

	"obsidian-mcp/internal/testkit/mode"
)

// TestKilledAtAnyMoment kills the program while it serves a client that changes notes, and sometimes while it starts and
// recovers.
func TestKilledAtAnyMoment(t *testing.T) {
	skipShort(t)
	const workers = 2
	var counts tally
	t.Run("each", func(t *testing.T) {
		for worker := range workers {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, t.TempDir(), mode.Pick(60, 60, 500), uint64(worker))
				d := &driver{world: w, counts: &counts, ready: func() error { return nil }, crash: (*client).kill}
				for range mode.Pick(8, 24, 1000)/workers - 1 {
					d.serveUntilCrash(w.anyMoment())
				}
				d.serveUntilCrash(moment{}) // checks what the last crash left
			})
		}
	})
	counts.log(t, "kills at random moments")
}

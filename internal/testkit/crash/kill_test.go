package crash

import (
	"fmt"
	"testing"
)

// TestKilledAtAnyMoment kills the program while it serves a client that
// changes notes, and now and then while it starts and mends.
func TestKilledAtAnyMoment(t *testing.T) {
	const workers = 2
	var counts tally
	t.Run("each", func(t *testing.T) {
		for worker := range workers {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, t.TempDir(), pick(60, 500), uint64(worker))
				d := &driver{world: w, counts: &counts, ready: func() error { return nil }, crash: (*client).kill}
				for range pick(24, 1000)/workers - 1 {
					d.serveUntilCrash(w.anyMoment())
				}
				d.serveUntilCrash(moment{}) // what the last one left is looked at too
			})
		}
	})
	counts.log(t, "kills at random moments")
}

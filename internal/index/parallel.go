package index

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// InParallel does something for the numbers below another, on all processors.
func InParallel(count int, do func(i int)) {
	const batch = 64
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 1+count/batch) {
		workers.Go(func() {
			for start := int(next.Add(batch)) - batch; start < count; start = int(next.Add(batch)) - batch {
				for i := start; i < min(start+batch, count); i++ {
					do(i)
				}
			}
		})
	}
	workers.Wait()
}

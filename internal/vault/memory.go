package vault

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system"
)

// largeChange is how many files a commit has for which memory is saved: their texts before and after are kept until its
// end.
const largeChange = 500

// gcWhileCommitting is the GC percentage of large commits.
const gcWhileCommitting = 25

// saving are the GC percentages of all that is saving memory at the moment. They are the process's, and so are shared by
// all vaults.
var saving struct {
	sync.Mutex
	percents []int
	usual    int // the percentage when nothing is
}

// saveMemory makes the collector run more often until done is called: it lets the heap grow by at most that percentage.
func saveMemory(percent int) (done func()) {
	saving.Lock()
	defer saving.Unlock()
	saving.percents = append(saving.percents, percent)
	before := debug.SetGCPercent(slices.Min(saving.percents))
	if len(saving.percents) == 1 {
		saving.usual = before
	}
	return func() {
		saving.Lock()
		defer saving.Unlock()
		at := slices.Index(saving.percents, percent)
		saving.percents = slices.Delete(saving.percents, at, at+1)
		if len(saving.percents) == 0 {
			debug.SetGCPercent(saving.usual)
		} else {
			debug.SetGCPercent(slices.Min(saving.percents))
		}
	}
}

const (
	manyInRAM   = 1000 // files from which an index that stays in memory counts as large
	gcManyInRAM = 25   // the GC percentage while a vault with such an index is open
)

// limitGarbage keeps the heap small until the vault is closed, if the vault has a large index in memory. That index is outside of
// the heap and needs most of the memory.
func (v *Vault) limitGarbage(s *index.Snapshot) {
	if s.IsPacked() && s.Len() >= manyInRAM {
		v.restoreGC = saveMemory(gcManyInRAM)
		debug.FreeOSMemory() // the first comparison with the store needs memory, too
	}
}

// unloadPause is the pause between two releases of the program's file while an index in memory is built.
const unloadPause = 250 * time.Millisecond

// unloading releases the memory of the program's file now and then, until done is called: each part of a start needs other code.
func unloading() (done func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		for pause(ctx, unloadPause); ctx.Err() == nil; pause(ctx, unloadPause) {
			system.UnloadProgram()
		}
	})
	return func() {
		cancel()
		ended.Wait()
	}
}

const (
	idleCheck    = 2 * time.Second // how often to check whether calls have ended
	quietGarbage = 256 << 10       // a program that allocates fewer bytes between two checks is idle
	worthFreeing = 4 << 20         // how many bytes calls must have allocated
)

// idling gives memory back to the system when calls have ended: their garbage, and the code that they needed.
type idling struct {
	allocated func() uint64 // bytes since the program began
	giveBack  func()

	atCheck uint64 // allocated at the last check
	byCalls uint64 // allocated by calls since memory was last given back
}

// check gives memory back once calls have ended.
func (i *idling) check() {
	now := i.allocated()
	more := now - i.atCheck
	i.atCheck = now
	switch {
	case more >= quietGarbage:
		i.byCalls += more
	case i.byCalls >= worthFreeing:
		i.byCalls = 0
		i.giveBack()
	}
}

// allocated is how many bytes the program has allocated since it began.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// giveBack gives memory that is not in use back to the system.
func giveBack() {
	debug.FreeOSMemory()
	system.UnloadProgram()
}

// sparing saves memory during a large commit, and gives it back to the system afterwards.
func (v *Vault) sparing(changes []store.Change) (done func()) {
	if len(changes) < largeChange {
		return func() {}
	}
	restore := saveMemory(gcWhileCommitting)
	return func() {
		restore()
		v.background.Go(debug.FreeOSMemory)
	}
}

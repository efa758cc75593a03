package vault

import (
	"runtime/debug"
	"slices"
	"sync"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/store"
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

// An index that stays in memory is much larger than what the collector looks after. If it has that many files, the collector lets
// the heap grow by that percentage only, until the vault is closed.
const (
	manyInRAM   = 1000
	gcManyInRAM = 25
)

// saveBesides saves memory as long as a large index stays in memory.
func (v *Vault) saveBesides(index *index.Snapshot) {
	if v.cache.File == "" && index.Len() >= manyInRAM {
		v.ending = saveMemory(gcManyInRAM)
		debug.FreeOSMemory() // what building the index took, before comparing it with the store takes more
	}
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

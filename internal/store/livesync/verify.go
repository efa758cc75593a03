package livesync

import (
	"context"
	"sync"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Verified is what a verification has looked at.
type Verified struct {
	Files    int // that are there, those in the trash not counted
	Trashed  int
	Bytes    int64
	Problems int
}

// Verify reads every file with all its chunks from the database, and reports
// what is wrong, from one goroutine at a time. Progress is told how many files
// were read of those known so far.
func (s *Store) Verify(ctx context.Context, progress func(done, total int), found func(Problem)) (Verified, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return Verified{}, err
	}
	v := &verification{progress: progress, found: found, ids: map[vpath.Path]string{}}
	v.scan = s.newScan(ctx, now, func(store.Info) bool { return true }, v.visit)
	v.limit, v.fresh = 1<<62, true
	err = s.listAll(v.ctx, now, func(page []seen) error {
		for _, one := range page {
			v.begin(one)
			if err := v.add(one); err != nil {
				return err
			}
		}
		return nil
	})
	if err = v.finish(err); err != nil {
		return v.sum, err
	}
	return v.sum, v.rest(ctx)
}

// verification is one on its way.
type verification struct {
	*scan
	progress func(done, total int)
	found    func(Problem)

	mu    sync.Mutex // guards what follows
	ids   map[vpath.Path]string
	done  int
	total int
	sum   Verified
}

// begin reports what shows without reading a file's content.
func (v *verification) begin(one seen) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.total++
	v.ids[one.path] = one.id
	if one.file == nil {
		return
	}
	if one.foreign {
		v.report(Problem{Path: one.file.Path, ID: one.id, Kind: WrongID, Err: errWrongID})
	}
	if len(one.file.Conflicts) > 0 {
		v.report(Problem{Path: one.file.Path, ID: one.id, Kind: Conflicted, Err: store.ErrUnresolved})
	}
}

func (v *verification) visit(read store.Found) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.done++
	v.sum.Files++
	v.sum.Bytes += int64(len(read.Data))
	if read.Err != nil {
		v.report(Problem{Path: string(read.Path), ID: v.ids[read.Path], Kind: problemOf(read.Err), Err: read.Err})
	}
	v.progress(v.done, v.total)
}

func (v *verification) report(problem Problem) {
	v.sum.Problems++
	v.found(problem)
}

// rest reports documents that have no path to be served under.
func (v *verification) rest(ctx context.Context) error {
	files, err := v.Store.known(ctx)
	if err != nil {
		return err
	}
	v.Store.mu.Lock()
	defer v.Store.mu.Unlock()
	v.sum.Trashed = len(files.trashed)
	for _, problem := range files.nameless {
		v.report(problem)
	}
	return nil
}

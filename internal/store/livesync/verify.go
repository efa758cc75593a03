package livesync

import (
	"context"
	"sync"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Verified is the summary of a verification.
type Verified struct {
	Files    int // without those in the trash
	Trashed  int
	Bytes    int64
	Problems int
}

// Verify reads every file with all its chunks from the database. It calls found for each problem, and progress with the
// number of files read and known so far; both from one goroutine at a time.
func (s *Store) Verify(ctx context.Context, progress func(done, total int), found func(Problem)) (Verified, error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return Verified{}, err
	}
	v := &verifier{progress: progress, found: found, ids: map[vpath.Path]string{}}
	v.scan = s.newScan(ctx, sess, func(store.Info) bool { return true }, v.visit)
	v.scan.limit, v.scan.skipCache = 1<<62, true
	err = s.listAll(v.scan.ctx, sess, func(page []docInfo) error {
		for _, doc := range page {
			v.begin(doc)
			if err := v.scan.add(doc); err != nil {
				return err
			}
		}
		return nil
	})
	if err = v.scan.finish(err); err != nil {
		return v.sum, err
	}
	return v.sum, v.rest(ctx)
}

// verifier is the state of one Verify.
type verifier struct {
	scan     *scan
	progress func(done, total int)
	found    func(Problem)

	mu    sync.Mutex // guards the fields below
	ids   map[vpath.Path]string
	done  int
	total int
	sum   Verified
}

// begin reports problems that show without reading a file's content.
func (v *verifier) begin(doc docInfo) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.total++
	v.ids[doc.path] = doc.id
	if doc.file == nil {
		return
	}
	if doc.foreign {
		v.report(Problem{Path: doc.file.Path, ID: doc.id, Kind: WrongID, Err: errWrongID})
	}
	if len(doc.file.Conflicts) > 0 {
		v.report(Problem{Path: doc.file.Path, ID: doc.id, Kind: Conflicted, Err: store.ErrUnresolved})
	}
}

func (v *verifier) visit(read store.Found) {
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

func (v *verifier) report(problem Problem) {
	v.sum.Problems++
	v.found(problem)
}

// rest reports documents without a usable path.
func (v *verifier) rest(ctx context.Context) error {
	files, err := v.scan.store.ensureCatalogue(ctx)
	if err != nil {
		return err
	}
	v.scan.store.mu.Lock()
	defer v.scan.store.mu.Unlock()
	v.sum.Trashed = len(files.trashed)
	for _, problem := range files.unserved {
		v.report(problem)
	}
	for id, path := range files.contested {
		v.report(Problem{Path: string(path), ID: id, Kind: Conflicted, Err: store.ErrUnresolved})
	}
	return nil
}

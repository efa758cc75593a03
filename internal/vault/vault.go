// Package vault is an open vault: a store and the index of it, kept in step.
//
// Opening returns at once; the index is built in the background and swapped
// in whole. Whoever needs it asks for a Snapshot and waits; nobody is ever
// answered from half of one. One goroutine follows the store's feed. Changes
// made through Commit are in the index before Commit returns.
//
// A store that cannot be reached is never taken for an empty one: what is
// known stays known until a scan has succeeded.
//
// Callers have a View: the vault as far as it is open to them. Permissions are
// kept there and nowhere else.
package vault

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault/history"
)

// Vault is an open vault.
type Vault struct {
	store store.Store
	log   *slog.Logger
	stop  context.CancelFunc
	quiet sync.WaitGroup

	snapshot   atomic.Pointer[index.Snapshot]
	ready      chan struct{} // closed when the first snapshot is there
	failure    atomic.Value  // of the last attempt to build it, as a problem
	seen       atomic.Int64  // files that the first scan has visited so far
	changing   sync.Mutex    // held while the next snapshot is made from the last
	parsers    sync.Pool     // of *index.Parser
	retry      time.Duration // between attempts to build the index
	turns      turns
	committing gate // commits are recorded in the order in which they were made
	listeners  changeListeners
	cache      Cache
	recorder   recorder
	changed    atomic.Value // when it last was, as a time.Time
	rebuilding atomic.Bool
	impatient  atomic.Int32 // who reads files because there is no index yet
}

type problem struct{ err error }

// Open begins to index a store and to follow its changes. The vault closes
// the store when it is closed.
func Open(s store.Store, log *slog.Logger) *Vault { return OpenWith(s, log, Options{}) }

// Options are what a vault may have beside its store.
type Options struct {
	Cache   Cache            // makes the next start short
	History *history.History // nil: changes are not recorded

	// Unrecorded has changes made that could not be recorded.
	Unrecorded bool
}

// OpenWith is Open with options. The vault closes the history, too.
func OpenWith(s store.Store, log *slog.Logger, options Options) *Vault {
	ctx, stop := context.WithCancel(context.Background())
	v := &Vault{store: s, log: log, stop: stop, cache: options.Cache, ready: make(chan struct{}), retry: 2 * time.Second, committing: newGate(), turns: newTurns()}
	v.recorder = recorder{store: s, log: log, history: options.History, unrecorded: options.Unrecorded}
	v.changed.Store(time.Now())
	v.parsers.New = func() any { return new(index.Parser) }
	v.quiet.Go(func() { v.follow(ctx) })
	return v
}

// Close stops following, waits until all is quiet, and closes the store.
func (v *Vault) Close() error {
	v.stop()
	v.quiet.Wait()
	return errors.Join(v.recorder.close(), v.store.Close())
}

// Snapshot is the vault as it is now. It waits for the first index, and tells
// a progress function in the context how far that is.
func (v *Vault) Snapshot(ctx context.Context) (*index.Snapshot, error) {
	if now := v.snapshot.Load(); now != nil {
		return now, nil
	}
	report := progressOf(ctx)
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-v.ready:
			return v.snapshot.Load(), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
			if failed, ok := v.failure.Load().(problem); ok && failed.err != nil {
				return nil, failed.err
			}
			if report != nil {
				report(v.seen.Load())
			}
		}
	}
}

// Ready is the vault as it is now, or nil while there is no index yet.
func (v *Vault) Ready() *index.Snapshot { return v.snapshot.Load() }

// Seen is how many files the scan has visited that makes the first index.
func (v *Vault) Seen() int64 { return v.seen.Load() }

// Changed is when the index last changed.
func (v *Vault) Changed() time.Time { return v.changed.Load().(time.Time) }

// Files hands over the files that are wanted, from several goroutines at once,
// for those who cannot wait for the index. The data is valid during the visit
// alone.
func (v *Vault) Files(ctx context.Context, want func(vpath.Path) bool, visit func(path vpath.Path, data []byte)) error {
	v.impatient.Add(1)
	defer v.impatient.Add(-1)
	err := v.store.Scan(ctx, func(info store.Info) bool { return index.WantsContent(info.Path) && want(info.Path) }, func(found store.Found) {
		if found.Data != nil {
			visit(found.Path, found.Data)
		}
	})
	if err != nil {
		return unavailable(err)
	}
	return nil
}

type progressKey struct{}

// WithProgress makes Snapshot tell how many files are indexed while it waits.
func WithProgress(ctx context.Context, report func(files int64)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

func progressOf(ctx context.Context) func(int64) {
	report, _ := ctx.Value(progressKey{}).(func(int64))
	return report
}

// Read gives a file with its revision.
func (v *Vault) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	return v.store.Read(ctx, path, limit)
}

// Lookup finds a file that may have come up since the last snapshot: it asks
// the store, and indexes what it finds.
func (v *Vault) Lookup(ctx context.Context, path vpath.Path) (vpath.Path, bool) {
	if info, err := v.store.Stat(ctx, path); err != nil || info.Folder {
		return "", false
	}
	v.refresh(ctx, []vpath.Path{path}, false)
	return path, true
}

// Exists asks the store whether there is a file at a path. What is there but
// is neither file nor folder of the vault is an error.
func (v *Vault) Exists(ctx context.Context, path vpath.Path) (bool, error) {
	info, err := v.store.Stat(ctx, path)
	if errors.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil && !info.Folder, err
}

// TrashPath tells where a file would go if it were trashed now.
func (v *Vault) TrashPath(ctx context.Context, path vpath.Path) (string, error) {
	return v.store.TrashPath(ctx, path)
}

// Commit records changes, makes them as one unit, and brings the index up to
// date.
func (v *Vault) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if err := v.committing.enter(ctx); err != nil {
		return nil, err
	}
	defer v.committing.leave()
	recorded, err := v.recorder.begin(ctx, changes)
	if err != nil {
		return nil, err
	}
	results, err := v.store.Commit(ctx, changes)
	recorded.end(ctx, results, err)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	v.record(ctx, changes, results)
	v.look(ctx, results)
	return results, nil
}

// look finds out whether others have changed again what was just committed.
func (v *Vault) look(ctx context.Context, results []store.Result) {
	var paths []vpath.Path
	for _, result := range results {
		if result.Rev != store.Absent {
			paths = append(paths, result.Path)
		}
	}
	v.refresh(ctx, paths, false)
}

// record puts the results of a commit into the index.
func (v *Vault) record(ctx context.Context, changes []store.Change, results []store.Result) {
	var change index.Change
	parser := v.parsers.Get().(*index.Parser)
	defer v.parsers.Put(parser)
	changes = v.withContent(ctx, changes)
	v.changing.Lock()
	defer v.changing.Unlock()
	now := v.snapshot.Load()
	if now == nil {
		return // the scan that is under way will find them
	}
	for i, one := range changes {
		switch one.Op {
		case store.WriteConfig:
		case store.Trash:
			change.Removed = append(change.Removed, one.Path)
		case store.Move:
			change.Removed = append(change.Removed, one.Path)
			entry := stamped(parser.Parse(one.To, one.Data), results[i].Info)
			if one.Data == nil {
				entry.Mark = "" // it could not be read, and is at the next chance
			}
			change.Updated = append(change.Updated, entry)
		default:
			change.Updated = append(change.Updated, stamped(parser.Parse(one.Path, notNil(one.Data)), results[i].Info))
		}
	}
	v.snapshot.Store(now.With(change))
	v.changed.Store(time.Now())
	v.announce(now, change)
}

// withContent reads what was moved as it was. What the index knows of it may
// be older.
func (v *Vault) withContent(ctx context.Context, changes []store.Change) []store.Change {
	changes = slices.Clone(changes)
	for i, one := range changes {
		if one.Op == store.Move && one.Data == nil {
			if file, err := v.store.Read(ctx, one.To, store.MaxScan); err == nil {
				changes[i].Data = notNil(file.Data)
			}
		}
	}
	return changes
}

func stamped(entry *index.Entry, info store.Info) *index.Entry {
	entry.Mark, entry.Size, entry.Modified, entry.Created = info.Mark, info.Size, info.Modified, info.Created
	entry.MarkUnreliable = isYoung(info)
	return entry
}

// youngFor is longer than a tick of any file system's clock.
const youngFor = 2500 * time.Millisecond

// isYoung reports a file that was changed a moment ago, or in the future: it
// may change again and look the same.
func isYoung(info store.Info) bool { return time.Since(info.Modified) < youngFor }

// unavailable gives the reason why no index could be built its kind.
func unavailable(err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.StoreUnavailable.Errorf("the vault could not be read: %w", err)
}

// notNil makes no bytes an empty file.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

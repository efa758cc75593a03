// Package vault keeps an index in step with a store.
//
// Open returns at once; the index is built in the background and published as a
// whole. Snapshot waits for it, so nobody sees a partial index. Texts returns earlier,
// with an index that cannot be searched for words yet. One goroutine
// follows the store's change feed. Changes made through Commit are in the index
// before Commit returns.
//
// An unreachable store is never mistaken for an empty one: the index keeps the
// last known state until a scan succeeds.
//
// Tools see a vault through a View, which hides what its caller may not see. A
// View is the only place that enforces permissions.
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
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/vault/history"
)

// Vault is an open vault.
type Vault struct {
	store      store.Store
	log        *slog.Logger
	stop       context.CancelFunc
	background sync.WaitGroup
	restoreGC  func() // ends limitGarbage; nil if it did nothing; set by the goroutine that follows the store

	snapshot    atomic.Pointer[index.Snapshot]
	readable    chan struct{}                    // closed when the first snapshot is published, which may have no words yet
	complete    chan struct{}                    // closed when the first snapshot with words is published
	early       *index.Snapshot                  // the published snapshot without words, until a complete one replaces it; used by build only
	failure     atomic.Value                     // the buildFailure of the last attempt to build the first snapshot
	seen        atomic.Int64                     // files that the first scan has visited so far, without those of comparing
	comparing   atomic.Pointer[index.Comparison] // what a scan that runs has found unchanged; nil: none runs
	publishing  sync.Mutex                       // held while the next snapshot is derived from the current one
	parsers     sync.Pool                        // of *index.Parser
	timing      timing
	turns       turns
	committing  gate // keeps the history in the order of the commits
	listeners   changeListeners
	cache       Cache
	caching     sync.Mutex // held while a cache file is published
	meanings    meanings
	recorder    recorder
	given       Given
	prompts     vpath.Path
	lastChange  atomic.Value // the time.Time of the index's last change
	rebuilding  atomic.Bool
	unmergeable atomic.Bool  // merging the index has failed, or cannot succeed
	directReads atomic.Int32 // callers that read files because the index is not built yet
}

// buildFailure wraps an error, which may be nil, for atomic.Value.
type buildFailure struct{ err error }

// Options are the optional parts of a vault.
type Options struct {
	Cache   Cache            // keeps the index for a faster next start
	History *history.History // nil: changes are not recorded
	Given   Given            // settings that count instead of Obsidian's
	Prompts vpath.Path       // the folder of prompts, in which callers with limits may not write; "": none
	Meaning meaning.Model    // what texts mean; nil: notes are found by their words only

	// Unrecorded allows changes that the history cannot record.
	Unrecorded bool
}

// timing is how long a vault waits for things. Tests change it.
type timing struct {
	retry time.Duration               // between attempts to build the index or to read files
	quiet time.Duration               // without changes, before the index is consolidated
	words func(context.Context) error // called before words are indexed; may be nil
}

// Open starts to index a store and to follow its changes. Closing the vault closes
// the store.
func Open(s store.Store, log *slog.Logger, options Options) *Vault {
	return open(s, log, options, timing{retry: 2 * time.Second, quiet: 5 * time.Second})
}

func open(s store.Store, log *slog.Logger, options Options, timing timing) *Vault {
	ctx, stop := context.WithCancel(context.Background())
	v := &Vault{
		store: s, log: log, stop: stop, cache: options.Cache, readable: make(chan struct{}), complete: make(chan struct{}),
		timing: timing, committing: newGate(), turns: newTurns(), given: options.Given, prompts: options.Prompts,
	}
	if v.given.Locale.Name == "" {
		v.given.Locale = moment.English()
	}
	v.recorder = recorder{store: s, log: log, history: options.History, unrecorded: options.Unrecorded}
	v.lastChange.Store(time.Now())
	v.parsers.New = func() any { return new(index.Parser) }
	v.background.Go(func() { v.follow(ctx) })
	v.openMeanings(ctx, options.Meaning)
	return v
}

// Close stops following the store, waits for the vault's goroutines, and closes
// the history and the store.
func (v *Vault) Close() error {
	v.stop()
	v.background.Wait()
	if v.restoreGC != nil {
		v.restoreGC()
	}
	return errors.Join(v.recorder.close(), v.store.Close())
}

// Snapshot returns the current index. It waits for the first one that is complete, and reports
// its progress to the function set by WithProgress.
func (v *Vault) Snapshot(ctx context.Context) (*index.Snapshot, error) {
	if now := v.Ready(); now != nil {
		return now, nil
	}
	return v.await(ctx, v.complete)
}

// Texts is like Snapshot, but does not wait for the words. Until they are indexed, callers may use names, links, properties
// and texts only; all of these are complete.
func (v *Vault) Texts(ctx context.Context) (*index.Snapshot, error) {
	if now := v.snapshot.Load(); now != nil {
		return now, nil
	}
	return v.await(ctx, v.readable)
}

// await waits until there is an index.
func (v *Vault) await(ctx context.Context, there <-chan struct{}) (*index.Snapshot, error) {
	report := progressOf(ctx)
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-there:
			return v.snapshot.Load(), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
			if failure, ok := v.failure.Load().(buildFailure); ok && failure.err != nil {
				return nil, failure.err
			}
			if report != nil {
				report(v.Seen())
			}
		}
	}
}

// Ready returns the current index, or nil while the first is being built.
func (v *Vault) Ready() *index.Snapshot {
	if now := v.snapshot.Load(); now != nil && now.HasWords() {
		return now
	}
	return nil
}

// Readable returns the current index, which may have no words yet, or nil if there is none.
func (v *Vault) Readable() *index.Snapshot { return v.snapshot.Load() }

// Seen is how many files the scan for the first index has visited so far.
func (v *Vault) Seen() int64 {
	seen := v.seen.Load()
	if comparison := v.comparing.Load(); comparison != nil {
		seen += int64(comparison.Seen())
	}
	return seen
}

// LastChange is when the index last changed.
func (v *Vault) LastChange() time.Time { return v.lastChange.Load().(time.Time) }

// Files reads the wanted files directly from the store, for callers that cannot
// wait for the index. It calls visit from several goroutines at once; the data is
// valid during the visit only.
func (v *Vault) Files(ctx context.Context, want func(vpath.Path) bool, visit func(path vpath.Path, data []byte)) error {
	v.directReads.Add(1)
	defer v.directReads.Add(-1)
	read := func(info store.Info) bool { return index.WantsContent(info.Path) && want(info.Path) }
	err := v.store.Scan(ctx, read, func(found store.Found) {
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

// WithProgress makes a waiting Snapshot report how many files are indexed.
func WithProgress(ctx context.Context, report func(files int64)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

func progressOf(ctx context.Context) func(int64) {
	report, _ := ctx.Value(progressKey{}).(func(int64))
	return report
}

// Read returns a file with its revision.
func (v *Vault) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	return v.store.Read(ctx, path, limit)
}

// Lookup asks the store for a file that may be newer than the last snapshot, and
// indexes it if it exists.
func (v *Vault) Lookup(ctx context.Context, path vpath.Path) (vpath.Path, bool) {
	if info, err := v.store.Stat(ctx, path); err != nil || info.Folder {
		return "", false
	}
	v.refresh(ctx, []vpath.Path{path}, trustMarks)
	return path, true
}

// Exists asks the store whether a file exists. Anything at the path that the
// vault takes for neither a file nor a folder is an error.
func (v *Vault) Exists(ctx context.Context, path vpath.Path) (bool, error) {
	info, err := v.store.Stat(ctx, path)
	if errors.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil && !info.Folder, err
}

// TrashPath returns where a file would go if it were trashed now.
func (v *Vault) TrashPath(ctx context.Context, path vpath.Path) (string, error) {
	return v.store.TrashPath(ctx, path)
}

// Commit records changes in the history, makes them as one unit, and updates the
// index.
func (v *Vault) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if err := v.committing.enter(ctx); err != nil {
		return nil, err
	}
	defer v.committing.leave()
	defer v.sparing(changes)()
	recording, err := v.recorder.begin(ctx, changes)
	if err != nil {
		return nil, err
	}
	results, err := v.store.Commit(ctx, changes)
	recording.end(ctx, results, err)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	v.indexCommit(ctx, changes, results)
	v.refreshCommitted(ctx, results)
	return results, nil
}

// refreshCommitted looks whether other programs have already changed the committed files again.
func (v *Vault) refreshCommitted(ctx context.Context, results []store.Result) {
	var paths []vpath.Path
	for _, result := range results {
		if result.Rev != store.Absent {
			paths = append(paths, result.Path)
		}
	}
	v.refresh(ctx, paths, trustMarks)
}

// indexCommit puts the results of a commit into the index.
func (v *Vault) indexCommit(ctx context.Context, changes []store.Change, results []store.Result) {
	changes = v.withMovedContent(ctx, changes)
	v.publishing.Lock()
	defer v.publishing.Unlock()
	now := v.snapshot.Load()
	if now == nil {
		return // the first scan is running and will find them
	}
	v.publish(now, v.updateOf(now, changes, results))
}

// publish applies a change to the snapshot and notifies the listeners. The caller must hold publishing.
func (v *Vault) publish(now *index.Snapshot, change index.Change) {
	files := v.changedBy(now, change) // before With, which takes over the texts
	v.snapshot.Store(now.With(change))
	v.lastChange.Store(time.Now())
	if len(files) > 0 {
		v.listeners.notify(files)
	}
}

// updateOf is what a commit changes in the index.
func (v *Vault) updateOf(now *index.Snapshot, changes []store.Change, results []store.Result) index.Change {
	parser := v.parsers.Get().(*index.Parser)
	defer v.parsers.Put(parser)
	var update index.Change
	for i, change := range changes {
		switch change.Op {
		case store.WriteConfig:
		case store.RemoveFolder:
			if results[i].Path != "" {
				update.FoldersGone = append(update.FoldersGone, change.Path)
			}
		case store.Trash:
			update.Removed = append(update.Removed, change.Path)
		case store.Move:
			update.Removed = append(update.Removed, change.Path)
			entry := stamped(parser.Parse(change.To, change.Data), results[i].Info)
			if change.Data == nil {
				entry.Mark = "" // it could not be read; the next refresh tries again
			}
			update.Updated = append(update.Updated, entry)
		default:
			entry := stamped(parser.Parse(change.Path, notNil(change.Data)), results[i].Info)
			update.Updated = append(update.Updated, entry)
		}
	}
	if len(update.FoldersGone) > 0 {
		update.FoldersGone = emptyFolders(now, update)
	}
	return update
}

// emptyFolders returns those of the removed folders that no file is in after the change: in some stores, folders exist
// only as parts of paths.
func emptyFolders(now *index.Snapshot, update index.Change) []vpath.Path {
	gone, used := map[vpath.Path]bool{}, map[vpath.Path]bool{}
	for _, path := range update.Removed {
		gone[path] = true
	}
	use := func(path vpath.Path) {
		for folder := path.Dir(); folder != "" && !used[folder]; folder = folder.Dir() {
			used[folder] = true
		}
	}
	for path := range now.Files {
		if !gone[path] {
			use(path)
		}
	}
	for _, entry := range update.Updated {
		use(entry.Path)
	}
	return slices.DeleteFunc(update.FoldersGone, func(folder vpath.Path) bool { return used[folder] })
}

// withMovedContent reads the files that were moved unchanged: the index may hold
// an older version of them.
func (v *Vault) withMovedContent(ctx context.Context, changes []store.Change) []store.Change {
	changes = slices.Clone(changes)
	for i, change := range changes {
		if change.Op == store.Move && change.Data == nil {
			if file, err := v.store.Read(ctx, change.To, store.MaxScan); err == nil {
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

// isYoung reports whether a file was modified a moment ago, or in the future: it
// may change again without a visible difference in its time.
func isYoung(info store.Info) bool { return time.Since(info.Modified) < youngFor }

// unavailable makes an unclassified error of the store a StoreUnavailable fault.
func unavailable(err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.StoreUnavailable.Errorf("the vault could not be read: %w", err)
}

// notNil returns an empty slice for nil, which would mean that the file does not exist.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

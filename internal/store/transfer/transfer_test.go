package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/store/transfer"
)

// faulty is a store in memory that fails where a test wants it to, and counts commits.
type faulty struct {
	*mem.Store
	unreadable map[vpath.Path]error
	refused    map[vpath.Path]error
	down       func() error // its error fails every call

	mu      sync.Mutex
	commits []int // number of changes of each
	largest int   // bytes of the largest commit
}

func (f *faulty) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	if err := f.away(); err != nil {
		return err
	}
	return f.Store.Scan(ctx, want, func(found store.Found) {
		if err := f.unreadable[found.Path]; err != nil {
			found.Data, found.Err = nil, err
		}
		visit(found)
	})
}

func (f *faulty) Stat(ctx context.Context, path vpath.Path) (store.Info, error) {
	if err := f.away(); err != nil {
		return store.Info{}, err
	}
	return f.Store.Stat(ctx, path)
}

func (f *faulty) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	if err := errors.Join(f.away(), f.unreadable[path]); err != nil {
		return store.File{}, err
	}
	return f.Store.Read(ctx, path, limit)
}

func (f *faulty) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if err := f.away(); err != nil {
		return nil, err
	}
	size := 0
	for _, change := range changes {
		if err := f.refused[change.Path]; err != nil {
			return nil, err
		}
		size += len(change.Data)
	}
	results, err := f.Store.Commit(ctx, changes)
	if err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.commits = append(f.commits, len(changes))
		f.largest = max(f.largest, size)
	}
	return results, err
}

func (f *faulty) away() error {
	if f.down == nil {
		return nil
	}
	return f.down()
}

// outcomes copies, and returns the result of each file.
func outcomes(t *testing.T, from, to store.Store, overwrite bool) (map[string]string, transfer.Summary) {
	t.Helper()
	all := map[string]string{}
	last := 0
	summary, err := transfer.Copy(t.Context(), from, to, transfer.Options{
		Overwrite: overwrite,
		Report:    func(o transfer.Outcome) { all[string(o.Path)] = string(o.Result) },
		Progress: func(done, total int) {
			if done != last+1 || done > total {
				t.Errorf("progress: %d after %d, of %d", done, last, total)
			}
			last = done
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != len(all) || summary.Files() != len(all) {
		t.Errorf("%d files, but progress counted %d and the summary %d", len(all), last, summary.Files())
	}
	return all, summary
}

func TestCopy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to  map[string]string
		overwrite bool
		want      map[string]string // result of each file
		after     map[string]string // files of the target; nil: those of the source
	}{
		"nothing": {},
		"all files are new": {
			from: map[string]string{"A.md": "a", "d/e/B.md": "b", "Empty.md": ""},
			want: map[string]string{"A.md": "created", "d/e/B.md": "created", "Empty.md": "created"},
		},
		"all files exist": {
			from: map[string]string{"A.md": "a", "Empty.md": ""}, to: map[string]string{"A.md": "a", "Empty.md": ""},
			want: map[string]string{"A.md": "same", "Empty.md": "same"},
		},
		"a file that differs stays": {
			from: map[string]string{"A.md": "new", "B.md": "b"}, to: map[string]string{"A.md": "old", "B.md": "longer"},
			want: map[string]string{"A.md": "different", "B.md": "different"}, after: map[string]string{"A.md": "old", "B.md": "longer"},
		},
		"a file that differs is overwritten on request": {
			from: map[string]string{"A.md": "new", "B.md": "b", "C.md": ""}, to: map[string]string{"A.md": "old", "B.md": "b", "C.md": "c"}, overwrite: true,
			want: map[string]string{"A.md": "replaced", "B.md": "same", "C.md": "replaced"},
		},
		"nothing is deleted": {
			from: map[string]string{"A.md": "a"}, to: map[string]string{"B.md": "b"}, overwrite: true,
			want: map[string]string{"A.md": "created"}, after: map[string]string{"A.md": "a", "B.md": "b"},
		},
		"the trash is not copied": {
			from: map[string]string{".trash/A.md": "a"}, after: map[string]string{},
		},
		"a file where the target has a folder": {
			from: map[string]string{"d": "file", "A.md": "a"}, to: map[string]string{"d/B.md": "b"},
			want: map[string]string{"d": "refused", "A.md": "created"}, after: map[string]string{"A.md": "a", "d/B.md": "b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := mem.New(c.from), mem.New(c.to)
			got, _ := outcomes(t, from, to, c.overwrite)
			if c.want == nil {
				c.want = map[string]string{}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if c.after == nil {
				c.after = from.Files()
			}
			if diff := cmp.Diff(c.after, to.Files()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// many makes files of a size.
func many(count, size int) map[string]string {
	files := map[string]string{}
	for i := range count {
		files[fmt.Sprintf("d%d/N%04d.md", i%7, i)] = strings.Repeat(string(rune('a'+i%26)), size)
	}
	return files
}

func TestGroups(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ files, size, groups, bytes int }{
		"many small files": {1050, 10, 11, 1000},
		"few large files":  {20, 3 << 20, 7, 9 << 20},
		"one file":         {1, 10, 1, 10},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := mem.New(many(c.files, c.size)), &faulty{Store: mem.New(nil)}
			got, summary := outcomes(t, from, to, false)
			if len(to.commits) != c.groups || to.largest > c.bytes || len(got) != c.files || summary.Bytes != int64(c.files*c.size) {
				t.Errorf("%d commits of up to %d bytes, %+v", len(to.commits), to.largest, summary)
			}
			if !maps.Equal(from.Files(), to.Files()) {
				t.Error("the copy differs from the source")
			}
		})
	}
}

// TestRefusedFileDoesNotStopOthers checks that a group that fails is written file by file.
func TestRefusedFileDoesNotStopOthers(t *testing.T) {
	from := mem.New(many(120, 10))
	bad := vpath.Path("d3/N0003.md")
	to := &faulty{Store: mem.New(nil), refused: map[vpath.Path]error{bad: fault.PermissionDenied.Errorf("not this name")}}
	got, summary := outcomes(t, from, to, false)
	if summary.Created != 119 || summary.Refused != 1 || got[string(bad)] != "refused" || !errors.Is(summary.First, fault.PermissionDenied) {
		t.Errorf("%+v", summary)
	}
}

// TestUnreadableFilesAreReported has an unreadable file on either side; the others are still copied.
func TestUnreadableFilesAreReported(t *testing.T) {
	damaged := fault.StoreUnavailable.Errorf("a chunk is missing")
	from := &faulty{Store: mem.New(map[string]string{"A.md": "a", "B.md": "b", "C.md": "c"}), unreadable: map[vpath.Path]error{"A.md": damaged}}
	to := &faulty{Store: mem.New(map[string]string{"B.md": "?"}), unreadable: map[vpath.Path]error{"B.md": damaged}}
	want := map[string]string{"A.md": "unreadable", "B.md": "refused", "C.md": "created"}
	for _, overwrite := range []bool{false, true} {
		got, summary := outcomes(t, from, to, overwrite)
		if diff := cmp.Diff(want, got); diff != "" || summary.First == nil {
			t.Errorf("overwrite %t: %s", overwrite, diff)
		}
		want["C.md"] = "same"
	}
}

// respelt finds its files under another spelling too, like a store that ignores case.
type respelt struct{ *mem.Store }

func (r respelt) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	return r.Store.Read(ctx, vpath.Path(strings.ToLower(string(path))), limit)
}

func (r respelt) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	for i := range changes {
		changes[i].Path = vpath.Path(strings.ToLower(string(changes[i].Path)))
	}
	return r.Store.Commit(ctx, changes)
}

func TestTargetIgnoresCase(t *testing.T) {
	from := mem.New(map[string]string{"A.md": "same", "B.md": "new", "C.md": "c"})
	to := respelt{mem.New(map[string]string{"a.md": "same", "b.md": "old"})}
	got, _ := outcomes(t, from, to, false)
	if got["A.md"] != "same" && got["a.md"] != "same" {
		t.Errorf("%v", got)
	}
	if text := to.Files()["b.md"]; text != "old" {
		t.Errorf("b.md is %q", text)
	}
	outcomes(t, from, to, true)
	if diff := cmp.Diff(map[string]string{"a.md": "same", "b.md": "new", "c.md": "c"}, to.Files()); diff != "" {
		t.Error(diff)
	}
}

// TestLargeFiles copies files that are too large for a scan.
func TestLargeFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compares files of 32 MB")
	}
	t.Parallel()
	large := strings.Repeat("x", store.MaxScan+1)
	from := mem.New(map[string]string{"big.bin": large, "other.bin": large, "A.md": "a"})
	to := mem.New(map[string]string{"other.bin": large[1:] + "y"})
	got, _ := outcomes(t, from, to, false)
	if diff := cmp.Diff(map[string]string{"big.bin": "created", "other.bin": "different", "A.md": "created"}, got); diff != "" {
		t.Error(diff)
	}
	got, _ = outcomes(t, from, to, true)
	if diff := cmp.Diff(map[string]string{"big.bin": "same", "other.bin": "replaced", "A.md": "same"}, got); diff != "" {
		t.Error(diff)
	}
	if !maps.Equal(from.Files(), to.Files()) {
		t.Error("the copy differs from the source")
	}
}

// TestCopyContinuesAfterOutage loses the target halfway: the copy stops with a summary of what it did, and the next copy
// continues from there.
func TestCopyContinuesAfterOutage(t *testing.T) {
	t.Parallel()
	gone := fault.StoreUnavailable.Errorf("away")
	from, to := mem.New(many(500, 10)), &faulty{Store: mem.New(nil)}
	to.down = func() error {
		if to.mu.Lock(); len(to.commits) >= 2 {
			defer to.mu.Unlock()
			return gone
		}
		to.mu.Unlock()
		return nil
	}
	summary, err := transfer.Copy(t.Context(), from, to, transfer.Options{})
	if !errors.Is(err, fault.StoreUnavailable) || summary.Created != 200 || summary.Refused != 0 {
		t.Errorf("%+v, %v", summary, err)
	}
	to.down = nil
	if _, summary := outcomes(t, from, to, false); summary.Created != 300 || summary.Same != 200 {
		t.Errorf("%+v", summary)
	}
	from.Outside("d1/N0001.md", []byte("another"))
	to.down = func() error { return gone }
	if summary, err := transfer.Copy(t.Context(), from, to, transfer.Options{Overwrite: true}); !errors.Is(err, fault.StoreUnavailable) || summary.Files() != 0 {
		t.Errorf("%+v, %v", summary, err)
	}
}

func TestCancelledCopyStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	from, to := mem.New(many(500, 10)), mem.New(nil)
	summary, err := transfer.Copy(ctx, from, to, transfer.Options{Report: func(transfer.Outcome) { cancel() }})
	if !errors.Is(err, context.Canceled) || summary.Files() == 500 {
		t.Errorf("%+v, %v", summary, err)
	}
}

// TestCopyBetweenFolders copies real files, which are scanned by several goroutines. Hidden files are not copied.
func TestCopyBetweenFolders(t *testing.T) {
	t.Parallel()
	open := func() *folder.Folder {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".hidden.md"), []byte(dir), 0o600); err != nil {
			t.Fatal(err)
		}
		opened, err := folder.Open(dir, folder.Options{State: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { opened.Close() })
		return opened
	}
	from, to := open(), open()
	source := mem.New(many(100, 1000))
	source.Outside("b.bin", bytes.Repeat([]byte{0, 255}, 1000))
	then := time.Date(2020, 5, 17, 10, 30, 0, 0, time.UTC)
	if _, err := source.Commit(t.Context(), []store.Change{{Path: "old.md", Data: []byte("old"), Modified: then}}); err != nil {
		t.Fatal(err)
	}
	outcomes(t, source, from, false)
	if _, summary := outcomes(t, from, to, false); summary.Created != 102 {
		t.Errorf("%+v", summary)
	}
	back := mem.New(nil)
	outcomes(t, to, back, false)
	if info, err := back.Stat(t.Context(), "old.md"); err != nil || !info.Modified.Equal(then) {
		t.Errorf("the copy of an old file has the time %v, %v", info.Modified, err)
	}
	if !maps.Equal(source.Files(), back.Files()) {
		t.Error("the copy differs from the source")
	}
}

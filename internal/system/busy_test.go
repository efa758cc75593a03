package system

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetry(t *testing.T) {
	busy, broken := errors.New("busy"), errors.New("broken")
	passes := func(err error) bool { return errors.Is(err, busy) }
	for _, test := range []struct {
		name    string
		results []error // of the calls; the last one repeats
		calls   int
		want    error
		waited  time.Duration
	}{
		{"success", []error{nil}, 1, nil, 0},
		{"failure", []error{broken}, 1, broken, 0},
		{"held for a moment", []error{busy, busy, nil}, 3, nil, 3 * time.Millisecond},
		{"held, then gone", []error{busy, broken}, 2, broken, time.Millisecond},
		{"held for ever", []error{busy}, busyPauses + 1, busy, 1023 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls, start := 0, time.Now()
				err := retry(passes, func() error {
					result := test.results[min(calls, len(test.results)-1)]
					calls++
					return result
				})
				if !errors.Is(err, test.want) || calls != test.calls || time.Since(start) != test.waited {
					t.Errorf("%v after %d calls and %v", err, calls, time.Since(start))
				}
			})
		})
	}
}

func TestNamesChange(t *testing.T) {
	dir := t.TempDir()
	in, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := in.Mkdir("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		LinkIn(in, "a", "b"), Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c")), RenameIn(in, "c", "sub/d"), RemoveIn(in, "b"),
	); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "sub", "d")); string(content) != "a" {
		t.Errorf("%q, %v", content, err)
	}
	if err := RemoveIn(in, "sub"); !errors.Is(err, os.ErrExist) {
		t.Errorf("removing a folder that is not empty: %v", err)
	}
	if err := errors.Join(RemoveIn(in, "sub/d"), RemoveIn(in, "sub")); err != nil {
		t.Error(err)
	}
	if err := RemoveIn(in, "sub"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removing a missing folder: %v", err)
	}
	if err := Patiently(func() error { return nil }); err != nil {
		t.Error(err)
	}
}

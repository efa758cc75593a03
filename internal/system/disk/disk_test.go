package disk

import (
	"errors"
	"slices"
	"testing"
)

func TestDiskMakesCalls(t *testing.T) {
	var d Disk
	made := 0
	run := func() error { made++; return nil }
	if err := errors.Join(d.Run("sync", run), d.Do(Call{Kind: "remove", Name: "A.md"}, run)); err != nil || made != 2 {
		t.Errorf("%d calls made, %v", made, err)
	}
}

func TestBeforeFailsCallsInsteadOfMakingThem(t *testing.T) {
	var d Disk
	var seen []string
	d.Before(func(call Call) error {
		seen = append(seen, call.Kind)
		if call.Kind == "sync" {
			return Errnos[0]
		}
		return nil
	})
	var made []string
	for _, kind := range []string{"write", "sync", "remove"} {
		err := d.Run(kind, func() error { made = append(made, kind); return nil })
		if failed := errors.Is(err, Errnos[0]); failed != (kind == "sync") {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if !slices.Equal(seen, []string{"write", "sync", "remove"}) || !slices.Equal(made, []string{"write", "remove"}) {
		t.Errorf("saw %q, made %q", seen, made)
	}
}

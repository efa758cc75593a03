package cli

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestSilentDrive: a drive that does not answer is waited for, but not for ever,
// and folders elsewhere are found all the same.
func TestSilentDrive(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		connected := make(chan struct{})
		defer close(connected)
		stat := func(name string) (fs.FileInfo, error) {
			if name == "/silent" {
				<-connected
			}
			return os.Stat(name)
		}
		begun := time.Now()
		looks := lookFor(t.Context(), stat, "/silent", folder, folder+"/none")
		if want := []look{isSilent, isThere, isGone}; !slices.Equal(looks, want) || time.Since(begun) != lookingTime {
			t.Errorf("%v after %v", looks, time.Since(begun))
		}
		ctx, interrupt := context.WithCancel(t.Context())
		interrupt()
		begun = time.Now()
		if looks := lookFor(ctx, stat, "/silent"); looks[0] != isSilent || time.Since(begun) != 0 {
			t.Errorf("interrupted: %v after %v", looks, time.Since(begun))
		}
	})
	if err := explain("/silent", isSilent); err == nil || isSilent.remark() != " (does not answer)" {
		t.Error(err, isSilent.remark())
	}
}

package install

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A drive that does not answer is waited for, but not for ever, and folders elsewhere are found meanwhile.
func TestLookForGivesUpOnASilentDrive(t *testing.T) {
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
		found := lookFor(t.Context(), stat, "/silent", folder, folder+"/none")
		if want := []presence{silent, present, missing}; !slices.Equal(found, want) || time.Since(begun) != folderPatience {
			t.Errorf("lookFor = %v after %v, want %v after %v", found, time.Since(begun), want, folderPatience)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		interrupt()
		begun = time.Now()
		if found := lookFor(ctx, stat, "/silent"); found[0] != silent || time.Since(begun) != 0 {
			t.Errorf("interrupted: lookFor = %v after %v", found, time.Since(begun))
		}
	})
}

func TestVaultsThatCannotBeUsedSayWhy(t *testing.T) {
	for presence, remark := range map[presence]string{silent: " (does not answer)", missing: " (not there)", present: ""} {
		vault := Vault{Path: "/vault", presence: presence}
		if err := vault.Check(); vault.Remark() != remark || (err == nil) != (presence == present) {
			t.Errorf("presence %d: remark %q, error %v", presence, vault.Remark(), err)
		}
	}
}

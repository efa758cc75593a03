package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"obsidian-mcp/internal/testkit/mode"
)

// disks are the file systems whose power is cut. The second one does not sync a file by itself when it is renamed over
// another.
var disks = []struct {
	name, mkfs, options string
	cuts                int
	mute                bool // after the cut it reports folders as synced whose changes it has lost
}{
	{"ext4", "mkfs.ext4", "loop", 100, false},
	{"ext4 without automatic syncs", "mkfs.ext4", "loop,noauto_da_alloc", 100, false},
	{"xfs", "mkfs.xfs", "loop", 100, true},
}

// TestPowerCuts cuts the power of the disk with the vault and the program's own folders while the program serves a client
// that changes notes.
func TestPowerCuts(t *testing.T) {
	if !mode.Long() {
		t.Skip("power cuts belong to the long form, and need root and loop devices")
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can mount")
	}
	t.Run("each", func(t *testing.T) {
		for _, disk := range disks {
			t.Run(disk.name, func(t *testing.T) {
				if _, err := exec.LookPath(disk.mkfs); err != nil {
					t.Skip(err)
				}
				t.Parallel()
				var counts tally
				drive := &driver{counts: &counts, mute: disk.mute}
				cutPower(t, newDisk(t, disk.mkfs, disk.options), disk.cuts, drive)
				counts.log(t, disk.name+": power cuts")
			})
		}
	})
}

// cutPower cuts the power of a disk repeatedly while a driver serves from it.
func cutPower(t *testing.T, d *loopDisk, cuts int, drive *driver) {
	w := newWorld(t, d.mount, 500, uint64(cuts))
	syscall.Sync()
	drive.world, drive.ready = w, d.again
	drive.crash = func(c *client) {
		if err := d.cut(); err != nil {
			t.Errorf("the power was not cut: %v", err)
		}
		c.kill()
	}
	for range cuts {
		drive.serveUntilCrash(w.anyMoment())
	}
	drive.serveUntilCrash(moment{})
}

// loopDisk is a file system in a file.
type loopDisk struct {
	image, mount, options string
	isCut                 bool
}

func newDisk(t *testing.T, mkfs, options string) *loopDisk {
	t.Helper()
	dir := t.TempDir()
	d := &loopDisk{image: filepath.Join(dir, "image"), mount: filepath.Join(dir, "mount"), options: options}
	err := errors.Join(
		os.Mkdir(d.mount, 0o755),
		os.WriteFile(d.image, nil, 0o600),
		os.Truncate(d.image, 400<<20),
		run(mkfs, "-q", d.image),
		run("mount", "-o", options, d.image, d.mount),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run("umount", d.mount) })
	return d
}

// cut cuts the power: whatever is not on the disk yet, or in its journal, is lost.
func (d *loopDisk) cut() error {
	const shutdown = 0x8004587d
	withoutLog := uint32(2)
	folder, err := os.Open(d.mount)
	if err != nil {
		return err
	}
	defer folder.Close()
	d.isCut = true
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, folder.Fd(), shutdown, uintptr(unsafe.Pointer(&withoutLog))); errno != 0 {
		return errno
	}
	return nil
}

// again switches a disk back on.
func (d *loopDisk) again() error {
	if !d.isCut {
		return nil
	}
	d.isCut = false
	return errors.Join(run("umount", d.mount), run("mount", "-o", d.options, d.image, d.mount))
}

func run(name string, args ...string) error {
	output, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %q: %w: %s", name, args, err, output)
	}
	return nil
}

package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"obsidian-mcp/internal/fault"
)

func TestExplainFolder(t *testing.T) {
	at := func(err error) error { return &fs.PathError{Op: "stat", Path: "/mnt/x", Err: err} }
	for name, c := range map[string]struct {
		err  error
		kind fault.Kind
		want string
	}{
		"missing":     {at(syscall.ENOENT), fault.VaultNotFound, "there is no such folder"},
		"not allowed": {at(syscall.EACCES), fault.VaultNotFound, "this user may not open the folder"},
		"dead FUSE":   {at(syscall.ENOTCONN), fault.StoreUnavailable, "the vault's folder cannot be reached: transport endpoint is not connected"},
		"dead NFS":    {at(syscall.ESTALE), fault.StoreUnavailable, "the vault's folder cannot be reached: " + syscall.ESTALE.Error()},
		"pulled disk": {at(syscall.EIO), fault.StoreUnavailable, "the vault's folder cannot be reached: input/output error"},
		"any other":   {at(syscall.EMFILE), fault.VaultNotFound, "the vault's folder cannot be opened: too many open files"},
		"a file":      {fault.VaultNotFound.Errorf("x is not a folder"), fault.VaultNotFound, "x is not a folder"},
	} {
		err := ExplainFolder(c.err)
		if fault.KindOf(err) != c.kind || err.Error() != c.want || fault.HintOf(err) == "" {
			t.Errorf("%s: %v: %v (%s), want %v: %s, and a hint", name, fault.KindOf(err), err, fault.HintOf(err), c.kind, c.want)
		}
	}
}

// Windows has its own error numbers, which mean other things elsewhere.
func TestDriveIsAwayOnEachSystem(t *testing.T) {
	for _, c := range []struct {
		system string
		err    error
		want   bool
	}{
		{"linux", syscall.ENOTCONN, true}, {"darwin", syscall.ETIMEDOUT, true}, {"linux", syscall.ENOENT, false},
		{"windows", syscall.Errno(53), true}, {"windows", syscall.Errno(21), true}, {"linux", syscall.Errno(21), false},
		{"linux", errors.New("x"), false}, {"linux", fmt.Errorf("a: %w", syscall.EHOSTDOWN), true},
	} {
		if got := isAway(c.system, c.err); got != c.want {
			t.Errorf("%s, %v: %t", c.system, c.err, got)
		}
	}
}

// The failure of a call is explained only if the whole drive is gone.
func TestExplainCallLeavesADamagedFileAlone(t *testing.T) {
	gone := fault.StoreUnavailable.Errorf(`"": %w`, syscall.ENOTCONN)
	if err := ExplainCall(gone); err.Error() != "the vault's folder cannot be reached: transport endpoint is not connected" || fault.HintOf(err) != driveHint {
		t.Errorf("%v", err)
	}
	for _, err := range []error{fault.StoreUnavailable.Errorf(`"A.md": %w`, syscall.EIO), fault.NotFound.Errorf("no note")} {
		if ExplainCall(err) != err {
			t.Errorf("%v", ExplainCall(err))
		}
	}
}

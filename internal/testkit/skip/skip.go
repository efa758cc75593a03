// Package skip says why a test does not run on a system. Only tests import it.
package skip

import (
	"runtime"
	"testing"
)

// OnWindows skips a test that needs what Windows does not have, such as modes of files or a shell.
func OnWindows(t testing.TB, why string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not on Windows: " + why)
	}
}

// ButOnLinux skips a test that lays out files as on Linux.
func ButOnLinux(t testing.TB, why string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux: " + why)
	}
}

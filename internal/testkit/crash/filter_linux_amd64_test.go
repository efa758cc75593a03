package crash

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	sysRenameat2 = 316 // not in package syscall
	sysFchmodat2 = 452
)

// changing are the system calls that change files. Opening a file counts only if it is opened for writing.
var changing = map[uint64]string{
	syscall.SYS_WRITE: "write", syscall.SYS_PWRITE64: "pwrite64", syscall.SYS_WRITEV: "writev", syscall.SYS_PWRITEV: "pwritev",
	syscall.SYS_FSYNC: "fsync", syscall.SYS_FDATASYNC: "fdatasync", syscall.SYS_SYNC_FILE_RANGE: "sync_file_range",
	syscall.SYS_RENAME: "rename", syscall.SYS_RENAMEAT: "renameat", sysRenameat2: "renameat2",
	syscall.SYS_LINK: "link", syscall.SYS_LINKAT: "linkat", syscall.SYS_SYMLINKAT: "symlinkat",
	syscall.SYS_UNLINK: "unlink", syscall.SYS_UNLINKAT: "unlinkat", syscall.SYS_RMDIR: "rmdir",
	syscall.SYS_MKDIR: "mkdir", syscall.SYS_MKDIRAT: "mkdirat",
	syscall.SYS_FTRUNCATE: "ftruncate", syscall.SYS_TRUNCATE: "truncate", syscall.SYS_FALLOCATE: "fallocate",
	syscall.SYS_FCHMOD: "fchmod", syscall.SYS_FCHMODAT: "fchmodat", sysFchmodat2: "fchmodat2", syscall.SYS_FCHOWN: "fchown", syscall.SYS_FCHOWNAT: "fchownat",
	syscall.SYS_UTIMENSAT: "utimensat", syscall.SYS_FSETXATTR: "fsetxattr", syscall.SYS_FLOCK: "flock", syscall.SYS_OPENAT: "openat",
}

// filtered is an environment variable that makes the test binary execute the program that its arguments name, under a
// filter that stops it before each call that changes files.
const filtered = "OBSIDIAN_MCP_TEST_FILTERED"

func init() {
	if os.Getenv(filtered) == "" {
		return
	}
	runtime.LockOSThread() // the filter applies to this thread, which must be the one that executes the program
	os.Unsetenv(filtered)
	err := installFilter()
	if err == nil {
		err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(99)
}

// installFilter installs the filter in the kernel.
func installFilter() error {
	const noNewPrivileges, setFilter, filterMode = 38, 22, 2
	rules := filterRules()
	program := syscall.SockFprog{Len: uint16(len(rules)), Filter: &rules[0]}
	if _, _, errno := syscall.Syscall6(syscall.SYS_PRCTL, noNewPrivileges, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	if _, _, errno := syscall.Syscall(syscall.SYS_PRCTL, setFilter, filterMode, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	return nil
}

// filterRules is the kernel's filter program: it compares a call with each call of the table, and for openat looks at the
// flags.
func filterRules() []syscall.SockFilter {
	const (
		load, same, bits, give = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS, syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K,
			syscall.BPF_JMP | syscall.BPF_JSET | syscall.BPF_K, syscall.BPF_RET | syscall.BPF_K
		number, flags = 0, 32 // where the kernel puts them for the filter
		allow, stop   = 0x7fff0000, 0x7ff00000
	)
	rules := []syscall.SockFilter{
		{Code: load, K: number},
		{Code: same, K: syscall.SYS_OPENAT, Jf: 4},
		{Code: load, K: flags},
		{Code: bits, K: syscall.O_WRONLY | syscall.O_RDWR | syscall.O_CREAT, Jf: 1},
		{Code: give, K: stop},
		{Code: give, K: allow},
	}
	for nr := range changing {
		rules = append(rules, syscall.SockFilter{Code: same, K: uint32(nr), Jf: 1}, syscall.SockFilter{Code: give, K: stop})
	}
	return append(rules, syscall.SockFilter{Code: give, K: allow})
}

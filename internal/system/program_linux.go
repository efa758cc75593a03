package system

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// UnloadProgram releases the memory of the program's code and constants. The system loads what is used again from the program's
// file. What differs from the file, as relocated constants and the breakpoints of a debugger do, stays where it is.
func UnloadProgram() {
	name, err := os.Executable()
	if err != nil {
		return
	}
	mappings, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, m := range unchanged(string(mappings), name) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED)
	}
}

// mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// unchanged returns the mappings of a file, as the system lists them, that cannot be written and have not been changed.
func unchanged(mappings, file string) (all []mapping) {
	var current mapping
	for line := range strings.Lines(mappings) {
		if size, isSize := strings.CutPrefix(line, "Anonymous:"); isSize {
			if current.end > 0 && strings.TrimSpace(size) == "0 kB" {
				all = append(all, current)
			}
		} else if line[0] < 'A' || line[0] > 'Z' { // an address, not the name of a figure
			current = readOnly(line, file)
		}
	}
	return all
}

// readOnly returns the mapping that a line describes if it is the file's and cannot be written, else none.
func readOnly(line, file string) mapping {
	description, path, _ := strings.Cut(line, "/")
	fields := strings.Fields(description)
	if "/"+strings.TrimSuffix(path, "\n") != file || len(fields) < 2 || strings.Contains(fields[1], "w") {
		return mapping{}
	}
	first, after, _ := strings.Cut(fields[0], "-")
	start, err := strconv.ParseUint(first, 16, 64)
	end, errEnd := strconv.ParseUint(after, 16, 64)
	if err != nil || errEnd != nil {
		return mapping{}
	}
	return mapping{uintptr(start), uintptr(end)}
}

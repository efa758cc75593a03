package system

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// UnloadProgram releases the memory of the program's code and constants. The system reloads them from the program's file when they
// are used again. Mappings with pages that differ from the file, such as relocated constants or a debugger's breakpoints, are kept.
func UnloadProgram() {
	name, err := os.Executable()
	if err != nil {
		return
	}
	mappings, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	all := unchanged(string(mappings), name)
	here, _, _, _ := runtime.Caller(0)
	isOurs := false
	for _, m := range all {
		isOurs = isOurs || m.start <= here && here < m.end
	}
	if !isOurs {
		return // an emulator lists other addresses than ours
	}
	for _, m := range all {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED)
	}
}

// mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// unchanged returns the mappings of a file, as the system lists them, that cannot be written and have not been changed. Changed pages
// are anonymous or, if they are not in memory at the moment, swapped out; the list has both figures, in this order.
func unchanged(mappings, file string) (all []mapping) {
	var current mapping
	inMemory := ""
	for line := range strings.Lines(mappings) {
		name, size, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch size = strings.TrimSpace(size); {
		case line[0] < 'A' || line[0] > 'Z': // an address, not the name of a figure
			current, inMemory = readOnly(line, file), ""
		case name == "Anonymous":
			inMemory = size
		case name == "Swap" && size == "0 kB" && inMemory == "0 kB" && current.end > 0:
			all = append(all, current)
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

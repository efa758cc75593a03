package system

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Only what is in the file exactly as it is in memory can be loaded again.
func TestUnchangedMappings(t *testing.T) {
	t.Parallel()
	const listed = `00400000-00dd9000 r-xp 00000000 fe:00 10778261    /opt/a program/notes
Size:              10084 kB
Anonymous:             0 kB
AnonHugePages:         0 kB
Swap:                  0 kB
SwapPss:               0 kB
00dd9000-02182000 r--p 009d9000 fe:00 10778261    /opt/a program/notes
Anonymous:             4 kB
Swap:                  0 kB
02182000-02214000 rw-p 01d82000 fe:00 10778261    /opt/a program/notes
Anonymous:             0 kB
Swap:                  0 kB
02214000-02314000 r--p 01d82000 fe:00 10778261    /opt/a program/notes
Rss:                   4 kB
Anonymous:             0 kB
Swap:                  0 kB
02314000-02414000 r--p 01d82000 fe:00 10778261    /opt/a program/notes
Anonymous:             0 kB
Swap:                  4 kB
02414000-02514000 r--p 01d82000 fe:00 10778261    /opt/a program/notes
Anonymous:             0 kB
02514000-02614000 r--p 00000000 fe:00 10778262    /opt/a program/notes (deleted)
Anonymous:             0 kB
Swap:                  0 kB
c000000000-c004000000 rw-p 00000000 00:00 0
Anonymous:             0 kB
Swap:                  0 kB
7fff0000-7fff1000 r-xp 00000000 00:00 0                  [vdso]
Anonymous:             0 kB
Swap:                  0 kB
`
	want := []mapping{{0x400000, 0xdd9000}, {0x2214000, 0x2314000}}
	if got := unchanged(listed, "/opt/a program/notes"); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// The program gives memory back, and runs on.
func TestUnloadProgram(t *testing.T) {
	before, count := resident(t)
	if before == 0 {
		cannot(t, "the system does not list the program's file")
	}
	if count < 2 {
		t.Fatalf("%d mappings can be unloaded, want the code and the constants", count)
	}
	UnloadProgram()
	if after, _ := resident(t); after >= before {
		t.Errorf("%d kB of the program's file are in memory, %d before", after, before)
	}
}

// resident returns how many kilobytes of the program's file are in memory and cannot be written, and the number of mappings that can
// be unloaded.
func resident(t *testing.T) (size, count int) {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mappings, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		cannot(t, err.Error())
	}
	isOurs := false
	for line := range strings.Lines(string(mappings)) {
		fields := strings.Fields(line)
		switch {
		case strings.Contains(fields[0], "-"):
			isOurs = readOnly(line, name) != mapping{}
		case isOurs && fields[0] == "Rss:":
			part, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			size += part
		}
	}
	return size, len(unchanged(string(mappings), name))
}

// cannot skips a test that needs the system's list of mappings, which emulators lack. CI always has it.
func cannot(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

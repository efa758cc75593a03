package measure

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Memory is what a process holds, in bytes.
type Memory struct {
	Resident  int64 `json:"resident"`
	Anonymous int64 `json:"anonymous"` // of that, what is not backed by a file
}

// MemoryOf asks the kernel about a process; 0 means this process.
func MemoryOf(pid int) (Memory, error) {
	text, err := os.ReadFile(procFile(pid, "smaps_rollup"))
	if err != nil {
		return Memory{}, err
	}
	return Memory{Resident: kilobytes(text, "Rss:"), Anonymous: kilobytes(text, "Anonymous:")}, nil
}

func procFile(pid int, name string) string {
	if pid == 0 {
		return "/proc/self/" + name
	}
	return fmt.Sprintf("/proc/%d/%s", pid, name)
}

// kilobytes finds a line such as "Rss:   1234 kB".
func kilobytes(text []byte, label string) int64 {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) > 1 && words[0] == label {
			value, _ := strconv.ParseInt(words[1], 10, 64)
			return value << 10
		}
	}
	return 0
}

// Peak watches a process until stop is closed, and returns the most that it held at any moment it looked. The
// kernel keeps a peak too, but only of resident memory, including pages of files.
func Peak(pid int, stop <-chan struct{}) Memory {
	var peak Memory
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		if now, err := MemoryOf(pid); err == nil {
			peak.Resident, peak.Anonymous = max(peak.Resident, now.Resident), max(peak.Anonymous, now.Anonymous)
		}
		select {
		case <-stop:
			return peak
		case <-look.C:
		}
	}
}

// CPUOf returns the processor time that a process has used so far, in steps of ten milliseconds.
func CPUOf(pid int) (time.Duration, error) {
	text, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return 0, err
	}
	_, numbers, _ := strings.Cut(string(text), ") ") // the name before it may contain anything
	words := strings.Fields(numbers)
	if len(words) < 13 {
		return 0, fmt.Errorf("stat of process %d: %q", pid, text)
	}
	user, _ := strconv.ParseInt(words[11], 10, 64)
	system, _ := strconv.ParseInt(words[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}

// Settle waits until a process has done nothing for half a second.
func Settle(pid int, longest time.Duration) error {
	const quiet = 500 * time.Millisecond
	before, err := CPUOf(pid)
	for end := time.Now().Add(longest); err == nil && time.Now().Before(end); {
		time.Sleep(quiet)
		var now time.Duration
		if now, err = CPUOf(pid); now == before {
			return err
		}
		before = now
	}
	return err
}

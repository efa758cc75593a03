package index

import (
	"runtime"
	"slices"
)

// Memory is a sink that keeps everything in memory. Large sections are mapped outside of the heap: the garbage
// collector lets the heap grow to twice its live size, so an index on the heap would cost its size once more.
type Memory struct{ sections [][]byte }

// mapFrom is the size from which a section is mapped instead of allocated on the heap.
const mapFrom = 64 << 10

// Add implements Sink.
func (m *Memory) Add(parts ...[]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	section, free := []byte(nil), func() {}
	if size >= mapFrom {
		section, free = mapPages(size)
	}
	if section == nil {
		m.sections = append(m.sections, slices.Concat(parts...))
		return nil
	}
	rest := section
	for _, part := range parts {
		rest = rest[copy(rest, part):]
	}
	m.sections = append(m.sections, section)
	runtime.AddCleanup(m, func(free func()) { free() }, free)
	return nil
}

// Added implements Sink.
func (m *Memory) Added() (sections [][]byte, owner any, err error) { return m.sections, m, nil }

// Commit implements Sink.
func (m *Memory) Commit() (sections [][]byte, owner any, err error) { return m.sections, m, nil }

// Abort implements Sink.
func (m *Memory) Abort() {}

package index

import (
	"runtime"
	"slices"
)

// Memory is a sink that keeps everything in memory. What is large is outside of
// the heap: the collector, which lets a heap grow to twice of what is in use,
// would take an index for something in use.
type Memory struct{ sections [][]byte }

// ownPages is from how many bytes on a section has pages of its own.
const ownPages = 64 << 10

// Add implements Sink.
func (m *Memory) Add(parts ...[]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	section, free := []byte(nil), func() {}
	if size >= ownPages {
		section, free = pages(size)
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

// Commit implements Sink.
func (m *Memory) Commit() (sections [][]byte, keep any, err error) { return m.sections, m, nil }

// Abort implements Sink.
func (m *Memory) Abort() {}

package index

import (
	"runtime"
	"slices"
	"unsafe"
)

// Memory is a sink that keeps everything in memory. Large sections are mapped outside of the heap: the garbage
// collector lets the heap grow to twice its live size, so an index on the heap would cost its size once more.
type Memory struct {
	sections [][]byte
	mapped   *mappings
}

// mappings are the sections that are outside of the heap, by the address of their first byte.
type mappings struct{ free map[*byte]func() }

// mapFrom is the size from which a section is mapped instead of allocated on the heap.
const mapFrom = 64 << 10

// Add implements Sink.
func (m *Memory) Add(parts ...[]byte) error {
	m.add(parts)
	return nil
}

func (m *Memory) add(parts [][]byte) { m.sections = append(m.sections, m.joined(parts)) }

// joined returns the parts as one section.
func (m *Memory) joined(parts [][]byte) []byte {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	section, free := []byte(nil), func() {}
	if size >= mapFrom {
		section, free = mapPages(size)
	}
	if section == nil {
		return slices.Concat(parts...)
	}
	rest := section
	for _, part := range parts {
		rest = rest[copy(rest, part):]
	}
	m.mappings().free[&section[0]] = free
	return section
}

// mappings returns the mappings of the sink. They are released once the sink is unreachable.
func (m *Memory) mappings() *mappings {
	if m.mapped == nil {
		m.mapped = &mappings{free: map[*byte]func(){}}
		runtime.AddCleanup(m, func(mapped *mappings) {
			for _, free := range mapped.free {
				free()
			}
		}, m.mapped)
	}
	return m.mapped
}

// replace replaces some sections with two others, which may be made of parts of them, and frees the old ones.
func (m *Memory) replace(from, to int, texts, words [][]byte) {
	first, second := m.joined(texts), m.joined(words)
	mapped := m.mappings().free
	for _, section := range m.sections[from:to] {
		if free := mapped[unsafe.SliceData(section)]; free != nil {
			delete(mapped, unsafe.SliceData(section))
			free()
		}
	}
	m.sections = append(append(m.sections[:from:from], first, second), m.sections[to:]...)
}

// Added implements Sink.
func (m *Memory) Added() (sections [][]byte, owner any, err error) { return m.sections, m, nil }

// Commit implements Sink.
func (m *Memory) Commit() (sections [][]byte, owner any, err error) { return m.sections, m, nil }

// Abort implements Sink.
func (m *Memory) Abort() {}

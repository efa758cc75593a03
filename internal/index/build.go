package index

import (
	"sync"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/vpath"
)

// Sink takes the sections of an index as they are made, and gives them back
// in the end, with what must be reachable for as long as they are used.
type Sink interface {
	Add(section []byte) error
	Commit() (sections [][]byte, keep any, err error)
	Abort()
}

// Memory is a sink that keeps everything where it is.
type Memory struct{ sections [][]byte }

// Add implements Sink.
func (m *Memory) Add(section []byte) error {
	m.sections = append(m.sections, section)
	return nil
}

// Commit implements Sink.
func (m *Memory) Commit() (sections [][]byte, keep any, err error) { return m.sections, m, nil }

// Abort implements Sink.
func (m *Memory) Abort() {}

// Builder makes the first snapshot of a vault. Files may be added from
// several goroutines at once; each goes into a segment that somebody has at
// hand, so that what is not yet in the sink is bounded.
type Builder struct {
	sink Sink

	mu    sync.Mutex // guards what follows
	free  []*text.Builder
	total int
	metas [][]byte // of the files in the sink
	err   error
}

// Segments are small at first, so that a small vault takes little memory to
// build, and larger in a large one, so that there are not too many to ask.
const (
	smallSegment = 16 << 20
	largeSegment = 48 << 20
	largeFrom    = 64 << 20
)

// NewBuilder makes a builder.
func NewBuilder(sink Sink) *Builder { return &Builder{sink: sink} }

// Add puts a file into the index.
func (b *Builder) Add(entry *Entry) {
	segment, limit := b.take(len(entry.text))
	doc := entry.doc()
	doc.Meta = entry.encode(nil)
	segment.Add(doc)
	entry.text = nil
	if segment.Size() >= limit {
		b.flush(segment)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free = append(b.free, segment)
}

// doc is a file as the text engine knows it.
func (e *Entry) doc() text.Doc {
	doc := text.Doc{Title: e.Path.Name(), Aliases: e.Aliases, Tags: e.Tags, Text: e.text, Binary: e.binary}
	if !e.Path.IsNote() {
		doc.Title = e.Path.Base()
	}
	for _, heading := range e.Headings {
		doc.Headings = append(doc.Headings, heading.Text)
	}
	return doc
}

func (b *Builder) take(size int) (segment *text.Builder, limit int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	limit = smallSegment
	if b.total += size; b.total >= largeFrom {
		limit = largeSegment
	}
	if last := len(b.free) - 1; last >= 0 {
		segment = b.free[last]
		b.free = b.free[:last]
		return segment, limit
	}
	return new(text.Builder), limit
}

func (b *Builder) flush(segment *text.Builder) {
	if segment.Len() == 0 {
		return
	}
	data, metas := segment.Encode(), segment.Metas()
	segment.Reset()
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.sink.Add(data); err != nil && b.err == nil {
		b.err = err
	}
	b.metas = append(b.metas, metas...)
}

// Finish makes the snapshot. No file may be added any more.
func (b *Builder) Finish(folders []vpath.Path) (*Snapshot, error) {
	var wait sync.WaitGroup
	for _, segment := range b.free {
		wait.Go(func() { b.flush(segment) })
	}
	wait.Wait()
	b.free = nil
	for _, section := range tables(b.metas, folders) {
		if b.err == nil {
			b.err = b.sink.Add(section)
		}
	}
	if b.err != nil {
		b.sink.Abort()
		return nil, b.err
	}
	sections, keep, err := b.sink.Commit()
	if err != nil {
		return nil, err
	}
	return Open(sections, keep)
}

// Abandon ends a build that will not be finished.
func (b *Builder) Abandon() { b.sink.Abort() }

// Open makes a snapshot of the sections that a builder gave to its sink. It
// is as fresh as these are. What keep owns must stay as it is while keep is
// reachable.
func Open(sections [][]byte, keep any) (*Snapshot, error) {
	base, err := openBase(sections, keep)
	if err != nil {
		return nil, err
	}
	return newSnapshot(base), nil
}

// New is a snapshot of files that are in memory.
func New(entries []*Entry, folders []vpath.Path) *Snapshot {
	b := NewBuilder(new(Memory))
	for _, entry := range entries {
		b.Add(entry)
	}
	s, err := b.Finish(folders)
	if err != nil {
		panic(err) // memory takes everything
	}
	return s
}

package index

import (
	"sync"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
)

// Sink stores the sections of an index as a Builder makes them.
type Sink interface {
	// Add stores the parts of one section. The caller may reuse the parts afterwards.
	Add(parts ...[]byte) error
	// Commit returns all sections, which stay valid while owner is reachable.
	Commit() (sections [][]byte, owner any, err error)
	// Abort drops what was added.
	Abort()
}

// Builder makes the first snapshot of a vault. Several goroutines may add files at once; each takes an open segment
// that no other is using, so there are only as many open segments, which the sink does not have yet, as goroutines.
// If the sink itself takes memory, all share a single, smaller segment.
type Builder struct {
	sink   Sink
	room   int        // bytes of text that a new segment has room for
	frugal bool       // there is a single, small segment
	single sync.Mutex // held while a file is added to the single segment

	mu    sync.Mutex     // guards what follows
	free  []*openSegment // those that no goroutine is using
	total int            // bytes of text added so far
	paths []vpath.Path   // of the files in the sink
	metas [][]byte
	err   error
}

// openSegment is a segment that is still being filled.
type openSegment struct {
	docs  *text.Builder
	paths []vpath.Path
}

// Segments start small, so that building a small vault takes little memory. In a large vault they are larger, because
// every search asks every segment.
const (
	smallSegment = 7 << 20
	largeSegment = 36 << 20
	largeFrom    = 128 << 20

	frugalSegment = 2 << 20
	frugalShare   = 16 // part of the text added so far
)

// limit is how many bytes of text a segment may hold once total bytes were added.
func (b *Builder) limit(total int) int {
	switch {
	case b.frugal:
		return min(max(frugalSegment, total/frugalShare), largeSegment)
	case total >= largeFrom:
		return largeSegment
	}
	return smallSegment
}

// NewBuilder returns a builder whose segments have their memory reserved from the start.
func NewBuilder(sink Sink) *Builder {
	b := newBuilder(sink)
	b.room = b.limit(0)
	return b
}

func newBuilder(sink Sink) *Builder {
	_, inMemory := sink.(*Memory)
	return &Builder{sink: sink, frugal: inMemory}
}

// Add puts a file into the index.
func (b *Builder) Add(entry *Entry) {
	if b.frugal {
		b.single.Lock()
		defer b.single.Unlock()
	}
	segment, limit := b.take(len(entry.text))
	doc := entry.doc()
	doc.Meta = entry.encode(nil)
	segment.docs.Add(doc)
	segment.paths = append(segment.paths, entry.Path)
	entry.text = nil
	if segment.docs.Size() >= limit {
		b.flush(segment)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free = append(b.free, segment)
}

// doc returns the file as the text engine takes it.
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

// take returns a segment that no other goroutine is using, and how large it may become.
func (b *Builder) take(size int) (segment *openSegment, limit int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total += size
	limit = b.limit(b.total)
	if last := len(b.free) - 1; last >= 0 {
		segment = b.free[last]
		b.free = b.free[:last]
		return segment, limit
	}
	return &openSegment{docs: text.NewBuilder(b.room)}, limit
}

// flush hands a segment to the sink and empties it.
func (b *Builder) flush(segment *openSegment) {
	if segment.docs.Len() == 0 {
		return
	}
	parts, metas := segment.docs.Encode(), segment.docs.Metas()
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.sink.Add(parts...); err != nil && b.err == nil {
		b.err = err
	}
	b.paths, b.metas = append(b.paths, segment.paths...), append(b.metas, metas...)
	segment.docs.Reset()
	segment.paths = segment.paths[:0]
}

// Finish makes the snapshot. No file may be added afterwards.
func (b *Builder) Finish(folders []vpath.Path) (*Snapshot, error) {
	var wait sync.WaitGroup
	for _, segment := range b.free {
		wait.Go(func() { b.flush(segment) })
	}
	wait.Wait()
	b.free = nil
	for _, section := range tables(b.paths, b.metas, folders) {
		if b.err == nil {
			b.err = b.sink.Add(section)
		}
	}
	if b.err != nil {
		b.sink.Abort()
		return nil, b.err
	}
	sections, owner, err := b.sink.Commit()
	if err != nil {
		return nil, err
	}
	return Open(sections, owner)
}

// Abandon ends a build that will not be finished.
func (b *Builder) Abandon() { b.sink.Abort() }

// Open makes a snapshot of the sections that a Builder gave to its sink. The sections must stay readable and unchanged
// while owner is reachable.
func Open(sections [][]byte, owner any) (*Snapshot, error) {
	base, err := openBase(sections, owner)
	if err != nil {
		return nil, err
	}
	return newSnapshot(base), nil
}

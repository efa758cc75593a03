package index

import (
	"sync"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
)

// Sink takes the sections of an index as they are made, and gives them back
// in the end, with what must be reachable for as long as they are used.
type Sink interface {
	Add(parts ...[]byte) error // of one section; they are the caller's again afterwards
	Commit() (sections [][]byte, keep any, err error)
	Abort()
}

// Builder makes the first snapshot of a vault. Files may be added from
// several goroutines at once; each goes into a segment that somebody has at
// hand, so that what is not yet in the sink is bounded. Where the sink itself
// takes memory, there is one segment for all, and a smaller one.
type Builder struct {
	sink   Sink
	ready  int        // bytes of text that a new segment has room for
	frugal bool       // there is one segment, and a small one
	only   sync.Mutex // held while a file is added to the one segment

	encoding sync.Mutex // guards scratch
	scratch  text.Scratch

	mu    sync.Mutex // guards what follows
	free  []*openSegment
	total int
	paths []vpath.Path // of the files in the sink
	metas [][]byte
	err   error
}

// openSegment is a segment that files are put into.
type openSegment struct {
	*text.Builder
	paths []vpath.Path
}

// Segments are small at first, so that a small vault takes little memory to
// build, and larger in a large one, so that there are not too many to ask.
const (
	smallSegment = 10 << 20
	largeSegment = 48 << 20
	largeFrom    = 128 << 20

	frugalSegment = 2 << 20
	frugalShare   = 16 // of what there is so far
)

// limit is how many bytes of text a segment may have when there are so many.
func (b *Builder) limit(total int) int {
	switch {
	case b.frugal:
		return min(max(frugalSegment, total/frugalShare), largeSegment)
	case total >= largeFrom:
		return largeSegment
	}
	return smallSegment
}

// NewBuilder makes a builder.
func NewBuilder(sink Sink) *Builder {
	b := newBuilder(sink)
	b.ready = b.limit(0)
	return b
}

func newBuilder(sink Sink) *Builder {
	_, inMemory := sink.(*Memory)
	return &Builder{sink: sink, frugal: inMemory}
}

// Add puts a file into the index.
func (b *Builder) Add(entry *Entry) {
	if b.frugal {
		b.only.Lock()
		defer b.only.Unlock()
	}
	segment, limit := b.take(len(entry.text))
	doc := entry.doc()
	doc.Meta = entry.encode(nil)
	segment.Add(doc)
	segment.paths = append(segment.paths, entry.Path)
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
	return &openSegment{Builder: text.NewBuilder(b.ready)}, limit
}

func (b *Builder) flush(segment *openSegment) {
	if segment.Len() == 0 {
		return
	}
	b.encoding.Lock()
	defer b.encoding.Unlock()
	parts, metas := segment.Encode(&b.scratch), segment.Metas()
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.sink.Add(parts...); err != nil && b.err == nil {
		b.err = err
	}
	b.paths, b.metas = append(b.paths, segment.paths...), append(b.metas, metas...)
	segment.Reset()
	segment.paths = segment.paths[:0]
}

// Finish makes the snapshot. No file may be added any more.
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
	b := newBuilder(new(Memory))
	for _, entry := range entries {
		b.Add(entry)
	}
	s, err := b.Finish(folders)
	if err != nil {
		panic(err) // memory takes everything
	}
	return s
}

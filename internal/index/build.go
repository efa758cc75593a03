package index

import (
	"cmp"
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/pack"
)

// Sink stores the sections of an index as a Builder makes them.
type Sink interface {
	// Add stores the parts of one section. The caller may reuse the parts afterwards.
	Add(parts ...[]byte) error
	// Added returns the sections that were added so far, which stay valid while owner is reachable.
	Added() (sections [][]byte, owner any, err error)
	// Commit returns all sections, which stay valid while owner is reachable.
	Commit() (sections [][]byte, owner any, err error)
	// Abort drops what was added.
	Abort()
}

// Builder makes the first snapshot of a vault. Several goroutines may add files at once; each takes an open segment
// that no other is using, so there are only as many open segments, which the sink does not have yet, as goroutines.
// Words are indexed after all files have been added. Until then a snapshot without words is available.
//
// If the sink keeps everything in memory, all goroutines share one smaller segment, and its words are indexed at once.
type Builder struct {
	sink   Sink
	room   int             // bytes of text that a new segment has room for
	packed *packedSegments // in memory, where there is a single open segment; else nil
	single sync.Mutex      // held while a file is added to the single segment

	mu    sync.Mutex     // guards free and total
	free  []*openSegment // those that no goroutine is using
	total int            // bytes of text added so far

	adding sync.Mutex   // guards paths and err; held while a segment is written, when others are still being filled
	paths  []vpath.Path // of the files in the sink
	err    error

	base *base // once the texts are complete
}

// openSegment is a segment that is still being filled.
type openSegment struct {
	docs  *text.Texts
	paths []vpath.Path
	meta  []byte // scratch
}

// Segments start small, so that building a small vault takes little memory. In a large vault they are larger, because
// every search asks every segment.
const (
	smallSegment = 7 << 20
	largeSegment = 36 << 20
	largeFrom    = 128 << 20
)

// limit is how many bytes of text a segment may hold once total bytes were added.
func (b *Builder) limit(total int) int {
	switch {
	case b.packed != nil:
		return b.packed.room
	case total >= largeFrom:
		return largeSegment
	}
	return smallSegment
}

// NewBuilder returns a builder whose segments have their memory reserved from the start.
func NewBuilder(sink Sink) *Builder {
	b := newBuilder(sink)
	b.room = b.limit(0)
	if b.packed != nil {
		b.packed.words.Prepare(b.room)
	}
	return b
}

func newBuilder(sink Sink) *Builder {
	b := &Builder{sink: sink}
	if memory, inMemory := sink.(*Memory); inMemory {
		b.packed = newPackedSegments(memory)
	}
	return b
}

// Add puts a file into the index.
func (b *Builder) Add(entry *Entry) {
	if b.packed != nil {
		b.single.Lock()
		defer b.single.Unlock()
	}
	segment, limit := b.take(len(entry.text))
	segment.meta = entry.encode(segment.meta[:0])
	segment.docs.Add(entry.text, segment.meta, entry.binary)
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
	doc := text.Doc{Title: titleOf(e.Path), Aliases: e.Aliases, Tags: e.Tags, Text: e.text, Binary: e.binary}
	for _, heading := range e.Headings {
		doc.Headings = append(doc.Headings, heading.Text)
	}
	return doc
}

// titleOf returns a file's title for the text engine.
func titleOf(path vpath.Path) string {
	if path.IsNote() {
		return path.Name()
	}
	return path.Base()
}

// fields yields the same field values as Entry.doc, decoded from the meta.
func fields(path vpath.Path, meta []byte) iter.Seq2[text.Fields, []byte] {
	return func(yield func(text.Fields, []byte) bool) {
		if !yield(text.Title, []byte(titleOf(path))) {
			return
		}
		r := readerOf(meta)
		for _, field := range [...]text.Fields{text.TagField, text.Alias} {
			for range r.number() {
				if !yield(field, r.text()) {
					return
				}
			}
		}
		for range r.number() {
			r.byte() // the level of a heading
			if !yield(text.HeadingField, r.text()) {
				return
			}
		}
	}
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
	return &openSegment{docs: text.NewTexts(b.room)}, limit
}

// flush hands a segment to the sink and empties it.
func (b *Builder) flush(segment *openSegment) {
	if segment.docs.Len() == 0 {
		return
	}
	b.adding.Lock()
	defer b.adding.Unlock()
	b.paths = append(b.paths, segment.paths...)
	if b.packed == nil {
		b.add(segment.docs.Encode()...)
	} else if b.err == nil {
		b.err = b.packed.add(segment)
	}
	segment.docs.Reset()
	segment.paths = segment.paths[:0]
}

// add gives a section to the sink, unless it has failed before.
func (b *Builder) add(parts ...[]byte) {
	if b.err == nil {
		b.err = b.sink.Add(parts...)
	}
}

// Texts returns a snapshot after all files were added. If it has no words yet, Words completes it.
func (b *Builder) Texts(folders []vpath.Path) (*Snapshot, error) {
	for _, segment := range b.free {
		b.flush(segment)
	}
	b.free = nil
	snapshot, err := b.snapshot(folders)
	if err != nil {
		b.sink.Abort()
	}
	return snapshot, err
}

func (b *Builder) snapshot(folders []vpath.Path) (*Snapshot, error) {
	if b.err != nil {
		return nil, b.err
	}
	texts, owner, err := b.sink.Added()
	if err != nil {
		return nil, err
	}
	var words [][]byte
	var book *pack.Book
	if b.packed != nil {
		if err := b.packed.finish(); err != nil {
			return nil, err
		}
		texts, words = b.packed.sections()
		book = b.packed.book
		b.packed = nil // frees what only building needs
	}
	var metas [][]byte
	for _, section := range texts {
		segment, err := text.OpenPacked(section, nil, book, owner)
		if err != nil {
			return nil, err
		}
		for doc := range segment.Len() {
			metas = append(metas, segment.Meta(doc))
		}
	}
	tables := tables(b.paths, metas, folders)
	for _, table := range tables {
		b.add(table)
	}
	if b.err != nil {
		return nil, b.err
	}
	if book != nil {
		sections, _, err := b.sink.Commit()
		if err != nil {
			return nil, err
		}
		tables = sections[len(sections)-tableCount:]
	}
	base, err := openBase(texts, tables, words, book, owner)
	if err != nil {
		return nil, err
	}
	b.base = base
	return newSnapshot(base), nil
}

// Words indexes the words and returns the complete snapshot. Texts must be called first.
func (b *Builder) Words(ctx context.Context) (*Snapshot, error) {
	if err := b.readAll(ctx); err != nil {
		b.sink.Abort()
		return nil, err
	}
	b.base = nil
	sections, owner, err := b.sink.Commit()
	if err != nil {
		return nil, err
	}
	return Open(sections, owner)
}

// readAll indexes the words of all segments in parallel and adds them to the sink in order.
func (b *Builder) readAll(ctx context.Context) error {
	count := len(b.base.segments)
	turns := make([]chan struct{}, count+1) // turns[i] is closed once the sink has the words of all segments before i
	for i := range turns {
		turns[i] = make(chan struct{})
	}
	close(turns[0])
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), count) {
		workers.Go(func() {
			var words text.Words
			words.Prepare(b.room)
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				segment := b.base.segments[i]
				readWords(ctx, &words, segment, b.paths[b.base.first[i]:][:segment.Len()])
				if mapped, ok := b.base.owner.(interface{ Unload(section int) }); ok {
					mapped.Unload(i) // text sections come first
				}
				parts := words.Encode()
				<-turns[i]
				if ctx.Err() == nil {
					b.add(parts...)
				}
				close(turns[i+1])
			}
		})
	}
	workers.Wait()
	return cmp.Or(ctx.Err(), b.err)
}

// readWords indexes the words of a segment's documents until ctx ends.
func readWords(ctx context.Context, words *text.Words, segment *text.Segment, paths []vpath.Path) {
	words.Reset()
	for doc, path := range paths {
		if ctx.Err() != nil {
			break
		}
		words.Add(segment.Text(doc), fields(path, segment.Meta(doc)))
	}
	runtime.KeepAlive(segment)
}

// Finish returns the complete snapshot after all files were added.
func (b *Builder) Finish(ctx context.Context, folders []vpath.Path) (*Snapshot, error) {
	snapshot, err := b.Texts(folders)
	if err != nil || snapshot.HasWords() {
		return snapshot, err
	}
	return b.Words(ctx)
}

// Abandon ends a build that will not be finished.
func (b *Builder) Abandon() { b.sink.Abort() }

// Open opens the sections that a Builder gave to its sink: texts, tables, then words. The sections must stay readable and
// unchanged while owner is reachable.
func Open(sections [][]byte, owner any) (*Snapshot, error) {
	segments := (len(sections) - tableCount) / 2
	if segments < 0 || len(sections) != 2*segments+tableCount {
		return nil, errSections
	}
	texts, rest := sections[:segments], sections[segments:]
	base, err := openBase(texts, rest[:tableCount], rest[tableCount:], nil, owner)
	if err != nil {
		return nil, err
	}
	return newSnapshot(base), nil
}

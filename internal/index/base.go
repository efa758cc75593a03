package index

import (
	"bytes"
	"cmp"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/pack"
)

// base is the large, immutable part of a snapshot: the files in segments of the text engine, and the tables that find
// them. It is read in place from sections, which may be those of a mapped file.
type base struct {
	owner    any        // keeps the memory of the sections alive
	book     *pack.Book // unpacks the texts; nil if they are not packed
	segments []*text.Segment
	hasWords bool     // the segments can be searched for words
	tables   [][]byte // the sections that are not parts of segments
	first    []int32  // number of the first file of each segment
	paths    []vpath.Path
	byPath   func() map[vpath.Path]int32 // is made in the background
	folders  folderSource

	byKey table // of paths
	names table // of base names
	tails table // of base names with their folders, where many files share a name
	links table // by the base name that they ask for
	tags  table

	aliases table

	order *ordering
	kinds *kindSets

	hidden  text.Set // files that a window leaves out; nil: none
	windows onceMap[*windowBase]
}

// ordering is the files sorted by path, computed on first use.
type ordering struct {
	once sync.Once
	docs []int32
}

// kindSets are the files by kind, computed on first use.
type kindSets struct {
	once            sync.Once
	notes, canvases text.Set
}

// tableCount is how many sections are tables.
const tableCount = 7

var errSections = errors.New("not the sections of an index")

// openBase opens the sections that a Builder made. If words is nil, the base cannot be searched for words. If book is nil, the
// texts are not packed.
func openBase(texts, tables, words [][]byte, book *pack.Book, owner any) (*base, error) {
	b := &base{owner: owner, book: book, hasWords: words != nil, tables: tables, order: new(ordering), kinds: new(kindSets)}
	count := int32(0)
	for i, section := range texts {
		var itsWords []byte
		if b.hasWords {
			itsWords = words[i]
		}
		segment, err := text.OpenPacked(section, itsWords, book, owner)
		if err != nil {
			return nil, err
		}
		b.segments, b.first = append(b.segments, segment), append(b.first, count)
		count += int32(segment.Len())
	}
	for i, into := range []*table{&b.byKey, &b.names, &b.tails, &b.links, &b.tags, &b.aliases} {
		opened, ok := openTable(tables[i])
		if !ok {
			return nil, errSections
		}
		*into = opened
	}
	return b, b.readPaths(tables[tableCount-1], int(count))
}

// readPaths reads the section that lists the paths of files and folders.
func (b *base) readPaths(section []byte, files int) error {
	r := reader[string]{string(section)}
	b.paths = make([]vpath.Path, r.number())
	if len(b.paths) != files {
		return errSections
	}
	for i := range b.paths {
		b.paths[i] = vpath.Path(r.text())
	}
	b.byPath = sync.OnceValue(func() map[vpath.Path]int32 { return numbered(b.paths) })
	go b.byPath()
	folders := r.number()
	b.folders = make(folderSource, folders)
	for range folders {
		folder := vpath.Path(r.text())
		b.folders[folder.Key()] = folder
	}
	return nil
}

func numbered(paths []vpath.Path) map[vpath.Path]int32 {
	numbers := make(map[vpath.Path]int32, len(paths))
	for i, path := range paths {
		numbers[path] = int32(i)
	}
	return numbers
}

// docOf returns the number of a file.
func (b *base) docOf(path vpath.Path) (doc int32, ok bool) {
	doc, ok = b.byPath()[path]
	return doc, ok
}

// locate finds the segment of a file, and the file's number in it.
func (b *base) locate(doc int32) (*text.Segment, int) {
	i, exact := slices.BinarySearch(b.first, doc)
	if !exact {
		i--
	}
	return b.segments[i], int(doc - b.first[i])
}

func (b *base) entry(doc int32) *Entry {
	segment, i := b.locate(doc)
	entry := decode(b.paths[doc], segment.Meta(i), func(count int) []byte { return segment.First(i, count) })
	runtime.KeepAlive(b)
	return entry
}

// marked reports whether a file was indexed in the state that has a mark.
func (b *base) marked(doc int32, mark []byte) bool {
	segment, i := b.locate(doc)
	same := bytes.Equal(markOf(segment.Meta(i)), mark)
	runtime.KeepAlive(b)
	return same
}

// time reads a time of a file, which is at an offset of its meta.
func (b *base) time(doc int32, offset int) time.Time {
	segment, i := b.locate(doc)
	when := timeOf(segment.Meta(i)[offset:])
	runtime.KeepAlive(b)
	return when
}

// inOrder lists the files by path.
func (b *base) inOrder() []int32 {
	b.order.once.Do(func() {
		b.order.docs = make([]int32, len(b.paths))
		for i := range b.order.docs {
			b.order.docs[i] = int32(i)
		}
		slices.SortFunc(b.order.docs, func(x, y int32) int { return cmp.Compare(b.paths[x], b.paths[y]) })
	})
	return b.order.docs
}

// byKind returns the notes and canvases of the base, hidden ones too.
func (b *base) byKind() (notes, canvases text.Set) {
	b.kinds.once.Do(func() {
		b.kinds.notes, b.kinds.canvases = text.NewSet(len(b.paths)), text.NewSet(len(b.paths))
		for doc, path := range b.paths {
			switch {
			case path.IsNote():
				b.kinds.notes.Add(doc)
			case path.IsCanvas():
				b.kinds.canvases.Add(doc)
			}
		}
	})
	return b.kinds.notes, b.kinds.canvases
}

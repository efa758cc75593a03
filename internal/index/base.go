package index

import (
	"cmp"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
)

// base is the large part of a snapshot: files in segments of the text engine,
// and tables of what they are found by. It is read in place from sections,
// which may be those of a mapped file, and never changes.
type base struct {
	keep     any // what owns the sections
	segments []*text.Segment
	first    []int32 // number of the first file of each segment
	paths    []vpath.Path
	byPath   map[vpath.Path]int32
	folders  folderSource

	byKey table // of paths
	names table // of base names
	tails table // of base names with their folders, where many files share a name
	links table // by the base name that they ask for
	tags  table

	order *ordering
	kinds *kindSets

	hidden  text.Set // files that are left out; nil: none
	windows kept[*pane]
}

// ordering is the files by path, found out when first asked for.
type ordering struct {
	once sync.Once
	docs []int32
}

// kindSets are files by their kind, found out when first asked for.
type kindSets struct {
	once            sync.Once
	notes, canvases text.Set
}

// tableCount is how many sections follow the segments.
const tableCount = 6

var errSections = errors.New("not the sections of an index")

// openBase reads sections that a Builder made.
func openBase(sections [][]byte, keep any) (*base, error) {
	if len(sections) < tableCount {
		return nil, errSections
	}
	b := &base{keep: keep, order: new(ordering), kinds: new(kindSets)}
	segments, tables := sections[:len(sections)-tableCount], sections[len(sections)-tableCount:]
	count := int32(0)
	for _, section := range segments {
		segment, err := text.OpenSegment(section, keep)
		if err != nil {
			return nil, err
		}
		b.segments, b.first = append(b.segments, segment), append(b.first, count)
		count += int32(segment.Len())
	}
	for i, into := range []*table{&b.byKey, &b.names, &b.tails, &b.links, &b.tags} {
		opened, ok := openTable(tables[i])
		if !ok {
			return nil, errSections
		}
		*into = opened
	}
	list := reader{string(tables[tableCount-1])}
	b.paths = make([]vpath.Path, list.number())
	if len(b.paths) != int(count) {
		return nil, errSections
	}
	b.byPath = make(map[vpath.Path]int32, count)
	for i := range b.paths {
		b.paths[i] = vpath.Path(list.string())
		b.byPath[b.paths[i]] = int32(i)
	}
	folders := list.number()
	b.folders = make(folderSource, folders)
	for range folders {
		folder := vpath.Path(list.string())
		b.folders[folder.Key()] = folder
	}
	return b, nil
}

// at finds the segment of a file, and its number there.
func (b *base) at(doc int32) (*text.Segment, int) {
	i, exact := slices.BinarySearch(b.first, doc)
	if !exact {
		i--
	}
	return b.segments[i], int(doc - b.first[i])
}

// entry is what is known of a file.
func (b *base) entry(doc int32) *Entry {
	segment, i := b.at(doc)
	entry := decode(b.paths[doc], segment.Meta(i), segment.Text(i))
	runtime.KeepAlive(b)
	return entry
}

// marked reports whether a file has a mark.
func (b *base) marked(doc int32, mark string) bool {
	segment, i := b.at(doc)
	same := string(markOf(segment.Meta(i))) == mark
	runtime.KeepAlive(b)
	return same
}

// time is one of the times of a file.
func (b *base) time(doc int32, at int) time.Time {
	segment, i := b.at(doc)
	when := timeOf(segment.Meta(i)[at:])
	runtime.KeepAlive(b)
	return when
}

// inOrder lists the files by their paths.
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

// get and keys make the base the ground of the snapshot's files.
func (b *base) get(path vpath.Path) *Entry {
	if doc, ok := b.byPath[path]; ok {
		return b.entry(doc)
	}
	return nil
}

func (b *base) keys(yield func(vpath.Path) bool) {
	for doc, path := range b.paths {
		if !b.hidden.Has(doc) && !yield(path) {
			return
		}
	}
}

// shelf is the base as a vpath.Shelf.
type shelf struct{ *base }

func (b shelf) Len() int                  { return len(b.paths) }
func (b shelf) Key(i int32) vpath.Key     { return b.Path(i).Key() }
func (b shelf) ByKey(key []byte) []int32  { return b.numbers(&b.byKey, key) }
func (b shelf) Named(base []byte) []int32 { return b.numbers(&b.names, base) }

func (b shelf) Path(i int32) vpath.Path {
	if b.hidden.Has(int(i)) {
		return ""
	}
	return b.paths[i]
}

func (b *base) numbers(in *table, key []byte) []int32 {
	found := readNumbers(in.get(string(key)))
	runtime.KeepAlive(b)
	if b.hidden == nil {
		return found
	}
	return slices.DeleteFunc(found, func(doc int32) bool { return b.hidden.Has(int(doc)) })
}

func (b shelf) Ending(tail, baseKey []byte) []int32 {
	all := b.Named(baseKey)
	if len(all) <= vpath.LargeGroup || len(tail) == len(baseKey) {
		return all
	}
	return b.numbers(&b.tails, tail)
}

// linkSource is the links of the base by the base name that they ask for.
type linkSource struct{ *base }

func (b linkSource) get(key vpath.Key) []Backlink {
	links := b.read(b.links.get(string(key)))
	runtime.KeepAlive(b.base)
	return links
}

func (b linkSource) keys(yield func(vpath.Key) bool) { b.links.keys(yield) }

// read decodes links. Those that follow each other are mostly spelt alike.
func (b linkSource) read(data []byte) []Backlink {
	if len(data) == 0 {
		return nil
	}
	count, n := binary.Uvarint(data)
	data = data[n:]
	links := make([]Backlink, 0, count)
	doc, spelling := uint64(0), ""
	for range count {
		delta, n := binary.Uvarint(data)
		doc += delta
		bits, m := binary.Uvarint(data[n:])
		size, k := binary.Uvarint(data[n+m:])
		path := data[n+m+k : n+m+k+int(size)]
		if string(path) != spelling {
			spelling = string(path)
		}
		if !b.hidden.Has(int(doc)) {
			links = append(links, Backlink{From: b.paths[doc], Link: linkOf(bits, spelling)})
		}
		data = data[n+m+k+int(size):]
	}
	return links
}

// tagSource is the tags of the base.
type tagSource struct{ *base }

func (b tagSource) get(key vpath.Key) []tagged {
	notes := b.read(b.tags.get(string(key)))
	runtime.KeepAlive(b.base)
	return notes
}

func (b tagSource) keys(yield func(vpath.Key) bool) {
	b.tags.keys(func(key vpath.Key) bool {
		return b.hidden != nil && len(b.get(key)) == 0 || yield(key)
	})
}

func (b tagSource) read(data []byte) []tagged {
	if len(data) == 0 {
		return nil
	}
	count, n := binary.Uvarint(data)
	data = data[n:]
	notes := make([]tagged, 0, count)
	doc, spelling := uint64(0), ""
	for range count {
		delta, n := binary.Uvarint(data)
		doc += delta
		size, m := binary.Uvarint(data[n:])
		if tag := data[n+m : n+m+int(size)]; string(tag) != spelling {
			spelling = string(tag)
		}
		if !b.hidden.Has(int(doc)) {
			notes = append(notes, tagged{b.paths[doc], spelling})
		}
		data = data[n+m+int(size):]
	}
	return notes
}

// folderSource is the folders of the base.
type folderSource map[vpath.Key]vpath.Path

func (f folderSource) get(key vpath.Key) vpath.Path { return f[key] }

func (f folderSource) keys(yield func(vpath.Key) bool) {
	for key := range f {
		if !yield(key) {
			return
		}
	}
}

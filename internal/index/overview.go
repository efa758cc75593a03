package index

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// Overview counts what a vault holds.
type Overview struct {
	Notes      int
	Folders    []FolderCount   // the fullest first, so that a folder comes before those in it
	Properties []PropertyCount // the most used first
	Tags       []TagCount      // the most used first
}

// FolderCount is a folder with the number of notes in it and below.
type FolderCount struct {
	Folder vpath.Path
	Notes  int
}

// PropertyCount is a property with the number of notes that have it.
type PropertyCount struct {
	Name   string // as the first note, by path, spells it
	Notes  int
	Type   front.Type // that most values look like; "" if none has a value
	Values []string   // the most frequent ones
}

// Overview is computed once per snapshot, since it looks at the properties of every note.
func (s *Snapshot) Overview() *Overview {
	s.overviewMemo.once.Do(func() { s.overviewMemo.overview = s.overview() })
	return s.overviewMemo.overview
}

func (s *Snapshot) overview() *Overview {
	notes := 0
	inFolder := map[vpath.Path]int{}
	properties := tallies{byName: map[string]*tally{}, byKey: map[vpath.Key]*tally{}}
	s.Entries(func(entry *Entry) bool {
		if entry.Path.IsNote() {
			notes++
			inFolder[entry.Path.Dir()]++
			properties.add(entry)
		}
		return true
	})
	return &Overview{Notes: notes, Folders: s.folderCounts(inFolder), Properties: properties.counts(), Tags: s.TagCounts()}
}

// Property returns what is known about a property, whatever its letter case.
func (o *Overview) Property(name string) (PropertyCount, bool) {
	key := vpath.FoldKey(name)
	at := slices.IndexFunc(o.Properties, func(p PropertyCount) bool { return vpath.FoldKey(p.Name) == key })
	if at < 0 {
		return PropertyCount{}, false
	}
	return o.Properties[at], true
}

// folderCounts adds up the notes of each folder and those below it.
func (s *Snapshot) folderCounts(inFolder map[vpath.Path]int) []FolderCount {
	below := map[vpath.Key]int{}
	for folder, notes := range inFolder {
		for ; folder != ""; folder = folder.Dir() {
			below[folder.Key()] += notes
		}
	}
	var counts []FolderCount
	s.Folders(func(folder vpath.Path) bool {
		counts = append(counts, FolderCount{folder, below[folder.Key()]})
		return true
	})
	order.By(counts, func(a, b FolderCount) int {
		return cmp.Or(cmp.Compare(b.Notes, a.Notes), cmp.Compare(a.Folder, b.Folder))
	})
	return counts
}

// tallies count properties.
type tallies struct {
	byName map[string]*tally // by each spelling
	byKey  map[vpath.Key]*tally
}

// tally counts one property.
type tally struct {
	name   string
	from   vpath.Path // the note whose spelling that is
	notes  int
	types  map[front.Type]int
	values map[string]int
}

func (t tallies) add(entry *Entry) {
	for _, field := range entry.fields() {
		t.of(field.Key, entry.Path).add(field.Value)
	}
}

func (t tallies) of(name string, note vpath.Path) *tally {
	found := t.byName[name]
	if found == nil {
		key := vpath.FoldKey(name)
		if found = t.byKey[key]; found == nil {
			found = &tally{name: name, from: note, types: map[front.Type]int{}, values: map[string]int{}}
			t.byKey[key] = found
		}
		t.byName[name] = found
	}
	if note < found.from {
		found.name, found.from = name, note
	}
	return found
}

func (t *tally) add(value front.Value) {
	t.notes++
	if kind := front.TypeOf(value); kind != "" {
		t.types[kind]++
	}
	t.count(value)
	for _, item := range value.Items {
		t.count(item)
	}
}

func (t *tally) count(value front.Value) {
	if isShortValue(value) {
		t.values[value.Text]++
	}
}

// maxValue is how many characters a value may have to be one of a property's frequent values.
const maxValue = 80

func isShortValue(v front.Value) bool {
	return (v.Kind == front.Text || v.Kind == front.Number || v.Kind == front.Bool) && v.Text != "" &&
		(len(v.Text) <= maxValue || utf8.RuneCountInString(v.Text) <= maxValue) && !strings.ContainsAny(v.Text, "\r\n")
}

// topValues is how many values of a property are kept.
const topValues = 5

func (t tallies) counts() []PropertyCount {
	counts := make([]PropertyCount, 0, len(t.byKey))
	for _, tally := range t.byKey {
		counts = append(counts, PropertyCount{
			Name: valid(tally.name), Notes: tally.notes, Type: cmp.Or(most(tally.types, 1)...), Values: most(tally.values, topValues),
		})
	}
	order.By(counts, func(a, b PropertyCount) int {
		return cmp.Or(cmp.Compare(b.Notes, a.Notes), cmp.Compare(a.Name, b.Name))
	})
	return counts
}

// most returns the keys with the highest counts, up to a limit.
func most[K ~string](counts map[K]int, limit int) []K {
	top := make([]K, 0, limit+1)
	for key, count := range counts {
		at := len(top)
		for at > 0 && (counts[top[at-1]] < count || counts[top[at-1]] == count && key < top[at-1]) {
			at--
		}
		if at < limit {
			top = slices.Insert(top, at, key)[:min(limit, len(top)+1)]
		}
	}
	return top
}

package dataview

import (
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/query/value"
)

// Page is what queries know about a note. It is immutable. Links in it are as they are written; a Set resolves them.
type Page struct {
	Path              string
	Size              int64
	Created, Modified time.Time
	Day               *value.Date // of the note, from a field or its name; nil if it has none
	Front             *value.Object

	fields  value.Object
	linked  map[string]bool // the fields that have links
	tags    []string        // as written, with #
	aliases []string
	links   []value.Link
	items   []*Item
}

// Item is an item of a list.
type Item struct {
	Symbol    string
	Status    string // what is in the box of a task
	Text      string
	Line      int // from 0
	LineCount int
	List      int // the line where its list begins; -1 if that is not at the top level
	Parent    int // the line of the item that it is nested in; -1 if there is none
	IsTask    bool

	isFullyCompleted bool
	section, link    value.Link
	tags             []string
	links            []value.Link
	blockID          string
	children         []int // lines
	fields           *value.Object
	isAnnotated      bool
}

// row is a page in a set.
type row struct {
	*Page
	set *Set
}

// Get implements value.Fields.
func (r row) Get(name string) (value.Value, bool) {
	if name == "file" {
		return fileFields(r), true
	}
	v, exists := r.fields.Get(name)
	switch v.(type) {
	case value.Link, value.List, *value.Object:
		if r.linked[name] {
			v = r.set.resolved(v, r.Path)
		}
	}
	return v, exists
}

// Keys implements value.Fields.
func (r row) Keys() []string { return append([]string{"file"}, r.fields.Keys()...) }

// fileFields are the fields that every page has.
type fileFields row

var fileKeys = []string{
	"path", "folder", "name", "link", "outlinks", "inlinks", "etags", "tags", "aliases", "lists", "tasks", "ctime", "cday",
	"mtime", "mday", "size", "starred", "frontmatter", "ext", "day",
}

// Keys implements value.Fields.
func (f fileFields) Keys() []string {
	if f.Day == nil {
		return fileKeys[:len(fileKeys)-1]
	}
	return fileKeys
}

// Get implements value.Fields.
func (f fileFields) Get(name string) (value.Value, bool) {
	switch name {
	case "path":
		return f.Path, true
	case "folder":
		return folderOf(f.Path), true
	case "name":
		return title(f.Path), true
	case "link":
		return value.FileLink(f.Path), true
	case "outlinks":
		return f.set.resolved(linkList(f.links), f.Path), true
	case "inlinks":
		return f.set.linksTo(f.Path), true
	case "etags":
		return textList(f.tags), true
	case "tags":
		return textList(withParents(f.tags)), true
	case "aliases":
		return textList(f.aliases), true
	case "lists":
		return f.itemList(false), true
	case "tasks":
		return f.itemList(true), true
	case "ctime", "cday":
		return f.date(f.Created, name == "cday"), true
	case "mtime", "mday":
		return f.date(f.Modified, name == "mday"), true
	case "size":
		return float64(f.Size), true
	case "starred":
		return f.set.isStarred(f.Path), true
	case "frontmatter":
		return f.Front, true
	case "ext":
		return f.Path[strings.LastIndexByte(f.Path, '.')+1:], true
	case "day":
		if f.Day != nil {
			return *f.Day, true
		}
	}
	return nil, false
}

func (f fileFields) date(t time.Time, onlyDay bool) value.Value {
	date := value.Date{Time: t.In(f.set.clock.Now.Location()).Truncate(time.Millisecond)}
	if onlyDay {
		return date.Day()
	}
	return date
}

func (f fileFields) itemList(onlyTasks bool) value.List {
	list := value.List{}
	for _, item := range f.items {
		if item.IsTask || !onlyTasks {
			list = append(list, itemFields{item, row(f)})
		}
	}
	return list
}

func linkList(links []value.Link) value.List {
	list := make(value.List, len(links))
	for i, link := range links {
		list[i] = link
	}
	return list
}

func folderOf(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '/'))]
}

// withParents lists tags, each followed by those that it is below.
func withParents(tags []string) []string {
	var all []string
	seen := map[string]bool{}
	for _, tag := range tags {
		for ; tag != ""; tag = tag[:max(0, strings.LastIndexByte(tag, '/'))] {
			if !seen[tag] {
				seen[tag] = true
				all = append(all, tag)
			}
		}
	}
	return all
}

// itemFields are the fields of an item.
type itemFields struct {
	*Item
	page row
}

var (
	itemKeys = []string{
		"symbol", "link", "section", "text", "tags", "line", "lineCount", "list", "outlinks", "path", "children", "task", "annotated",
	}
	taskKeys = []string{"status", "checked", "completed", "fullyCompleted"}
)

// Keys implements value.Fields.
func (i itemFields) Keys() []string {
	keys := append([]string{}, itemKeys...)
	if i.Parent >= 0 {
		keys = append(keys, "parent")
	}
	if i.blockID != "" {
		keys = append(keys, "blockId")
	}
	if i.IsTask {
		keys = append(keys, taskKeys...)
	}
	for _, key := range i.fields.Keys() {
		if _, isFixed := i.fixed(key); !isFixed {
			keys = append(keys, key)
		}
	}
	return keys
}

// Get implements value.Fields.
func (i itemFields) Get(name string) (value.Value, bool) {
	if v, ok := i.fixed(name); ok {
		return v, true
	}
	v, ok := i.fields.Get(name)
	if ok {
		v = i.page.set.resolved(v, i.page.Path)
	}
	return v, ok
}

// fixed returns the fields that an item has whatever is written in it.
func (i itemFields) fixed(name string) (value.Value, bool) {
	switch name {
	case "symbol":
		return i.Symbol, true
	case "link":
		return i.link, true
	case "section", "header":
		return i.section, true
	case "text":
		return i.Text, true
	case "tags":
		return textList(i.tags), true
	case "line":
		return float64(i.Line), true
	case "lineCount":
		return float64(i.LineCount), true
	case "list":
		return float64(i.List), true
	case "outlinks":
		return linkList(i.links), true
	case "path":
		return i.page.Path, true
	case "children", "subtasks":
		return i.childItems(), true
	case "task", "real":
		return i.IsTask, true
	case "annotated":
		return i.isAnnotated, true
	case "parent":
		return float64(i.Parent), i.Parent >= 0
	case "blockId":
		return i.blockID, i.blockID != ""
	}
	if !i.IsTask {
		return nil, false
	}
	switch name {
	case "status":
		return i.Status, true
	case "checked":
		return i.Status != "" && i.Status != " ", true
	case "completed":
		return i.isCompleted(), true
	case "fullyCompleted":
		return i.isFullyCompleted, true
	}
	return nil, false
}

func (i *Item) isCompleted() bool { return i.Status == "x" || i.Status == "X" }

func (i itemFields) childItems() value.List {
	list := value.List{}
	for _, child := range i.page.childrenOf(i.Item) {
		list = append(list, itemFields{child, i.page})
	}
	return list
}

// childrenOf returns the items that are nested in one.
func (p *Page) childrenOf(item *Item) []*Item {
	var children []*Item
	for _, line := range item.children {
		if at, ok := slices.BinarySearchFunc(p.items, line, func(item *Item, line int) int { return item.Line - line }); ok {
			children = append(children, p.items[at])
		}
	}
	return children
}

// taskRow is a row of a TASK query: a task, and the fields of its page that it does not have itself.
type taskRow struct{ itemFields }

// Get implements value.Fields.
func (t taskRow) Get(name string) (value.Value, bool) {
	if v, ok := t.itemFields.Get(name); ok {
		return v, true
	}
	return t.page.Get(name)
}

// Keys implements value.Fields.
func (t taskRow) Keys() []string {
	keys := t.itemFields.Keys()
	for _, key := range t.page.Keys() {
		if _, has := t.itemFields.Get(key); !has {
			keys = append(keys, key)
		}
	}
	return keys
}

// Tags returns the tags of the note as they are written, with #.
func (p *Page) Tags() []string { return p.tags }

// Links returns the links of the note as they are written: those of the properties, then those of the body, then embeds.
func (p *Page) Links() []value.Link { return p.links }

// PageOf returns the path of the page that a value is, if it is one.
func PageOf(v value.Value) (path string, ok bool) {
	switch v := v.(type) {
	case row:
		return v.Path, true
	case *PageRow:
		return v.Path, true
	case overlay:
		return PageOf(v.Fields)
	}
	return "", false
}

// ItemOf returns the item of a list that a value is, and the path of its page, if it is one.
func ItemOf(v value.Value) (item *Item, path string, ok bool) {
	switch v := v.(type) {
	case itemFields:
		return v.Item, v.page.Path, true
	case taskRow:
		return v.Item, v.page.Path, true
	case overlay:
		return ItemOf(v.Fields)
	}
	return nil, "", false
}

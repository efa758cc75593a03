package bases

import (
	"cmp"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/collate"
	"obsidian-mcp/internal/text/order"
)

// File is a file of the vault. Once it is in one, it does not change.
type File struct {
	Path              string
	Size              int64
	Created, Modified time.Time
	Tags              []string // of a note, with #
	Links             []value.Link
	Embeds            []value.Link
	Properties        *value.Object // typed; nil: none

	sortKey string // of its name
}

// Tag is an element of a list of tags: it stands for the tags below it too.
type Tag string

// Rich is text that is shown in a special way: html, an image, an icon.
type Rich struct{ Kind, Text string }

// Vault is what a base is evaluated over.
type Vault struct {
	files     []*File // all, those that are excluded from lists too, in the order of rows
	Excluded  func(path string) bool
	Resolve   func(target, from string) string // the path of the file that a link leads to, or ""
	Backlinks func(path string) []string
	ByPath    func(path string) *File
}

// Files lists the files of the vault.
func (v *Vault) Files() []*File { return v.files }

// SetFiles gives the vault its files. They are put in the order that rows have if no sort key decides: by name, then path.
func (v *Vault) SetFiles(files []*File) {
	for _, file := range files {
		if file.sortKey == "" {
			file.sortKey = collate.NaturalKey(file.name())
		}
	}
	order.By(files, func(a, b *File) int {
		return cmp.Or(strings.Compare(a.sortKey, b.sortKey), strings.Compare(a.Path, b.Path))
	})
	v.files = files
}

func (f *File) name() string { return f.Path[strings.LastIndexByte(f.Path, '/')+1:] }

func (f *File) extension() string {
	name := f.name()
	if at := strings.LastIndexByte(name, '.'); at > 0 {
		return name[at+1:]
	}
	return ""
}

func (f *File) basename() string { return strings.TrimSuffix(f.name(), "."+f.extension()) }

func (f *File) folder() string {
	if at := strings.LastIndexByte(f.Path, '/'); at >= 0 {
		return f.Path[:at]
	}
	return rootFolder
}

// property returns a property of a note. If no property has exactly this name, letter case does not matter.
func (f *File) property(name string) (value.Value, bool) {
	if f.Properties == nil {
		return nil, false
	}
	if v, ok := f.Properties.Get(name); ok {
		return v, true
	}
	for _, key := range f.Properties.Keys() {
		if strings.EqualFold(key, name) {
			return f.Properties.Get(key)
		}
	}
	return nil, false
}

// field returns a field of a file, such as file.name.
func (e *environment) field(f *File, name string) (value.Value, error) {
	switch name {
	case "name":
		return fileName(f), nil
	case "basename":
		return f.basename(), nil
	case "path":
		return f.Path, nil
	case "folder":
		return f.folder(), nil
	case "ext":
		return f.extension(), nil
	case "size":
		return float64(f.Size), nil
	case "ctime":
		return e.date(f.Created), nil
	case "mtime":
		return e.date(f.Modified), nil
	case "properties":
		if f.Properties == nil {
			return value.NewObject(), nil
		}
		return f.Properties, nil
	case "tags":
		list := value.List{}
		for _, tag := range f.Tags {
			list = append(list, Tag(tagText(tag)))
		}
		return list, nil
	case "links", "embeds":
		links := f.Links
		if name == "embeds" {
			links = f.Embeds
		}
		list := value.List{}
		for _, link := range links {
			list = append(list, e.resolved(link, f))
		}
		return distinctLinks(list), nil
	case "backlinks":
		list := value.List{}
		for _, path := range e.vault.Backlinks(f.Path) {
			list = append(list, value.FileLink(path))
		}
		return list, nil
	case "file":
		return f, nil
	}
	return nil, &Error{Reason: "file." + name + " does not exist" + fault.DidYouMean(name, fileFields)}
}

var fileFields = []string{
	"name", "basename", "path", "folder", "ext", "size", "ctime", "mtime", "properties", "tags", "links", "embeds", "backlinks", "file",
}

// resolved gives a link the path of its file, if it leads to one.
func (e *environment) resolved(link value.Link, from *File) value.Link {
	if path := e.vault.Resolve(link.Path, from.Path); path != "" {
		link.Path = path
	}
	return link
}

func (e *environment) date(t time.Time) value.Date { return value.Date{Time: t.In(e.now.Location())} }

package dataview

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/query/value"
)

// Source is a note as the importer gets it.
type Source struct {
	Path              string
	Note              *md.Note
	Size              int64
	Created, Modified time.Time
	Pool              *value.Pool // what the note may share with others; nil: nothing
}

// Import reads the fields of a note. It copies what it keeps.
func Import(source Source, clock Clock) *Page {
	i := importer{
		Page:  &Page{Path: source.Path, Size: source.Size, Created: source.Created, Modified: source.Modified, Front: value.NewObject()},
		note:  source.Note,
		text:  string(source.Note.Source),
		clock: clock,
	}
	i.lines = strings.Split(i.text, "\n")
	i.front = front.Fields(source.Note)
	i.frontmatter()
	i.findTags()
	i.findLinks()
	i.findItems()
	i.findFields()
	i.Day = i.day()
	fields, linked := finished(i.gathered)
	if source.Pool != nil {
		source.Pool.Share(fields)
	}
	i.fields, i.linked = *fields, linked
	return i.Page
}

// importer reads one note.
type importer struct {
	*Page
	note     *md.Note
	front    []front.Field
	text     string
	lines    []string
	clock    Clock
	gathered gathered
	byLine   map[int][]value.Link // the links of the body by their lines
}

// gathered are the values of fields, in the order in which they were found.
type gathered struct {
	keys   []string
	values map[string][]value.Value
}

func (g *gathered) add(key string, values ...value.Value) {
	if g.values == nil {
		g.values = map[string][]value.Value{}
	}
	if _, exists := g.values[key]; !exists {
		key = strings.Clone(key) // it may be a part of the note's text, which is not kept
		g.keys = append(g.keys, key)
	}
	g.values[key] = append(g.values[key], values...)
}

func (g *gathered) merge(other gathered) {
	for _, key := range other.keys {
		g.add(key, other.values[key]...)
	}
}

// finished joins the values of each field, and adds the plain names of fields under which no other field is found.
func finished(g gathered) (fields *value.Object, linked map[string]bool) {
	var plain gathered
	for _, key := range g.keys {
		name := plainName(key)
		if _, taken := g.values[name]; name != "" && !taken {
			plain.add(name, g.values[key]...)
		}
	}
	g.merge(plain)
	return joinedFields(g)
}

// joinedFields makes lists of the fields that have several values, and tells which fields have links.
func joinedFields(g gathered) (fields *value.Object, linked map[string]bool) {
	fields, linked = value.NewObject(), map[string]bool{}
	for _, key := range g.keys {
		if key == "file" {
			continue
		}
		var v value.Value = value.List(g.values[key])
		if len(g.values[key]) == 1 {
			v = g.values[key][0]
		}
		fields.Set(key, v)
		if hasLinks(v) {
			linked[key] = true
		}
	}
	return fields, linked
}

func hasLinks(v value.Value) bool {
	switch v := v.(type) {
	case value.Link:
		return true
	case value.List:
		return slices.ContainsFunc(v, hasLinks)
	case *value.Object:
		return slices.ContainsFunc(v.Keys(), func(key string) bool {
			field, _ := v.Get(key)
			return hasLinks(field)
		})
	}
	return false
}

// plainName is the name of a field in expressions: small letters, - for blanks, and no marks.
func plainName(key string) string {
	var out strings.Builder
	for i := 0; i < len(key); {
		r, size := utf8.DecodeRuneInString(key[i:])
		emoji := emojiAt(key[i:])
		switch {
		case emoji > 0:
			out.WriteString(key[i : i+emoji])
			size = emoji
		case unicode.IsLetter(r), r >= '0' && r <= '9', r == '_', r == '-':
			out.WriteString(strings.ToLower(string(r)))
		case unicode.IsSpace(r):
			out.WriteByte('-')
			for size < len(key)-i {
				next, width := utf8.DecodeRuneInString(key[i+size:])
				if !unicode.IsSpace(next) {
					break
				}
				size += width
			}
		}
		i += size
	}
	return out.String()
}

var (
	dashedDate = regexp.MustCompile(`(\d{4})-(\d{2})-(\d{2})`)
	plainDate  = regexp.MustCompile(`(\d{4})(\d{2})(\d{2})`)
)

// day returns the date of a note: from a field called date or day, or from its name.
func (i *importer) day() *value.Date {
	for _, key := range i.gathered.keys {
		if name := strings.ToLower(key); name != "date" && name != "day" {
			continue
		}
		if date, ok := i.gathered.values[key][0].(value.Date); ok {
			return &date
		}
	}
	for _, pattern := range []*regexp.Regexp{dashedDate, plainDate} {
		if match := pattern.FindStringSubmatch(title(i.Path)); match != nil {
			year, _ := strconv.Atoi(match[1])
			month, _ := strconv.Atoi(match[2])
			day, _ := strconv.Atoi(match[3])
			date := i.clock.date(year, month, day, 0, 0, 0, 0)
			if date.Time.Month() != time.Month(month) || date.Time.Day() != day {
				return nil // not a day of the calendar
			}
			return &date
		}
	}
	return nil
}

package resource

import (
	"strings"
	"sync"
	"weak"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
)

// propertyMemo keeps what completion knows about the properties of the last snapshot: scanning every note takes long, and
// clients ask at every keystroke. It does not keep the snapshot itself alive.
type propertyMemo struct {
	mu       sync.Mutex // guards what follows
	from     weak.Pointer[index.Snapshot]
	allNames []string
	byName   map[vpath.Key][]string // the values of the properties that were asked for
}

// names returns the names of all properties.
func (m *propertyMemo) names(s *index.Snapshot) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(s)
	if m.allNames == nil {
		m.allNames = propertyNames(s)
	}
	return m.allNames
}

// values returns the values of a property.
func (m *propertyMemo) values(s *index.Snapshot, name string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(s)
	key := vpath.FoldKey(name)
	if _, known := m.byName[key]; !known {
		m.byName[key] = propertyValues(s, key)
	}
	return m.byName[key]
}

// forget drops what is known about another snapshot.
func (m *propertyMemo) forget(s *index.Snapshot) {
	if from := weak.Make(s); m.from != from {
		m.from, m.allNames, m.byName = from, nil, map[vpath.Key][]string{}
	}
}

// projectProperty names the project that a note belongs to.
const projectProperty = "project"

// eachName visits the names of a note's properties. It looks at the first word of each frontmatter line instead of
// parsing the YAML, which would take much longer.
func eachName(entry *index.Entry, visit func(name string)) {
	for line := range strings.Lines(entry.Front) {
		name, _, ok := strings.Cut(line, ":")
		if ok && name != "" && !strings.ContainsRune(" \t#-[{&*!|>%@`?", rune(name[0])) {
			visit(strings.Trim(strings.TrimSpace(name), `"'`))
		}
	}
}

func propertyNames(s *index.Snapshot) []string {
	seen := map[string]bool{}
	s.Entries(func(entry *index.Entry) bool {
		eachName(entry, func(name string) { seen[name] = true })
		return true
	})
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	return uniqueSorted(names)
}

// propertyValues parses only the notes that have the property.
func propertyValues(s *index.Snapshot, property vpath.Key) []string {
	values := []string{}
	s.Entries(func(entry *index.Entry) bool {
		found := ""
		eachName(entry, func(name string) {
			if vpath.FoldKey(name) == property {
				found = name
			}
		})
		if found != "" {
			values = append(values, valuesOf(entry, found)...)
		}
		return true
	})
	return uniqueSorted(values)
}

// maxValue is the length of the longest value that is proposed.
const maxValue = 200

func valuesOf(entry *index.Entry, property string) []string {
	block, err := entry.Properties()
	if err != nil {
		return nil
	}
	value, _ := block.Get(property)
	var texts []string
	for _, item := range append([]front.Value{value}, value.Items...) {
		if (item.Kind == front.Text || item.Kind == front.Number) && len(item.Text) <= maxValue && !strings.Contains(item.Text, "\n") {
			texts = append(texts, item.Text)
		}
	}
	return texts
}

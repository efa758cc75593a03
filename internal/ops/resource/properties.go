package resource

import (
	"strings"
	"sync"
	"weak"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md/front"
)

// propertyWords is what completion knows about the properties of all notes.
type propertyWords struct {
	names    []string
	projects []string // the values of the property project
}

// propertyMemo keeps the words of the last snapshot: scanning every note takes long, and clients ask at every
// keystroke. It does not keep the snapshot itself alive.
type propertyMemo struct {
	mu    sync.Mutex // guards what follows
	from  weak.Pointer[index.Snapshot]
	words propertyWords
}

func (m *propertyMemo) of(s *index.Snapshot) propertyWords {
	m.mu.Lock()
	defer m.mu.Unlock()
	if from := weak.Make(s); m.from != from {
		m.from, m.words = from, wordsOf(s)
	}
	return m.words
}

// projectProperty names the project that a note belongs to.
const projectProperty = "project"

// wordsOf looks at the first word of each frontmatter line instead of parsing the YAML, which would take longer still.
// It parses only the value of a project.
func wordsOf(s *index.Snapshot) propertyWords {
	seen := map[string]bool{}
	var words propertyWords
	s.Entries(func(entry *index.Entry) bool {
		hasProject := false
		for line := range strings.Lines(entry.Front) {
			name, _, ok := strings.Cut(line, ":")
			if ok && name != "" && !strings.ContainsRune(" \t#-[{&*!|>%@`?", rune(name[0])) {
				seen[name] = true
				hasProject = hasProject || strings.EqualFold(name, projectProperty)
			}
		}
		if hasProject {
			words.projects = append(words.projects, projectsOf(entry)...)
		}
		return true
	})
	for name := range seen {
		words.names = append(words.names, strings.Trim(strings.TrimSpace(name), `"'`))
	}
	words.names, words.projects = uniqueSorted(words.names), uniqueSorted(words.projects)
	return words
}

func projectsOf(entry *index.Entry) []string {
	block, err := entry.Properties()
	if err != nil {
		return nil
	}
	value, _ := block.Get(projectProperty)
	var names []string
	for _, item := range append([]front.Value{value}, value.Items...) {
		if item.Kind == front.Text || item.Kind == front.Number {
			names = append(names, item.Text)
		}
	}
	return names
}

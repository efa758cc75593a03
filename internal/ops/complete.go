package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"weak"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
)

// Completes is what an argument names, and so what it can be completed to.
type Completes uint8

// What can be completed.
const (
	CompleteNothing  Completes = iota
	CompleteNote               // the name of a note
	CompleteFile               // the path of any file
	CompleteHeading            // of a note
	CompleteTag                // without #
	CompleteProperty           // the name of a property
	CompleteTopic              // of a development log
	CompleteProject            // a value of the property project
)

// Incomplete is a value that is being typed.
type Incomplete struct {
	Of    Completes
	Value string
	Note  string // whose headings are meant
}

// Completed is what it may become.
type Completed struct {
	Values []string // the best, at most maxCompletions
	Total  int
}

// maxCompletions is the most that the protocol lets an answer hold.
const maxCompletions = 100

// Complete lists what starts with a value, then what contains it, whatever the
// letter case.
func (o *Ops) Complete(ctx context.Context, in Incomplete) (Completed, error) {
	if in.Of == CompleteNothing {
		return Completed{}, nil
	}
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return Completed{}, err
	}
	var all []candidate
	switch in.Of {
	case CompleteNote:
		all = noteCandidates(s, strings.Contains(in.Value, "/"))
	case CompleteFile:
		all = fileCandidates(s)
	case CompleteHeading:
		all, err = o.headingCandidates(ctx, in.Note)
	case CompleteTag:
		in.Value = strings.TrimPrefix(in.Value, "#")
		all = plainCandidates(s.Tags())
	case CompleteProperty:
		all = plainCandidates(o.properties.of(s).names)
	case CompleteTopic:
		all = plainCandidates(topics(s))
	case CompleteProject:
		all = plainCandidates(o.properties.of(s).projects)
	}
	if in.Of == CompleteHeading {
		return complete(all, in.Value, nil), err
	}
	return complete(all, in.Value, cmp.Compare), err
}

// candidate is what a value may become. It can be asked for by another text
// too: a path by its last part.
type candidate struct{ value, also string }

func plainCandidates(values []string) []candidate {
	all := make([]candidate, len(values))
	for i, value := range values {
		all[i].value = value
	}
	return all
}

// complete keeps the candidates that fit: the best first, then in an order,
// then as they came.
func complete(all []candidate, value string, order func(a, b string) int) Completed {
	want := string(vpath.FoldKey(value))
	var fits [3][]string
	for _, one := range all {
		if rank := one.rank(want); rank >= 0 {
			fits[rank] = append(fits[rank], one.value)
		}
	}
	done := Completed{}
	for _, values := range fits {
		done.Total += len(values)
		if order != nil {
			values = firstOf(slices.Values(values), maxCompletions, order)
		}
		done.Values = append(done.Values, values...)
	}
	done.Values = done.Values[:min(len(done.Values), maxCompletions)]
	return done
}

// rank is 0 for what starts with the text, 1 for what may be asked for so, 2
// for what contains it, and -1 for what does not fit.
func (c candidate) rank(want string) int {
	value, also := string(vpath.FoldKey(c.value)), ""
	if c.also != "" {
		also = string(vpath.FoldKey(c.also))
	}
	switch {
	case strings.HasPrefix(value, want):
		return 0
	case strings.HasPrefix(also, want):
		return 1
	case strings.Contains(value, want), strings.Contains(also, want):
		return 2
	}
	return -1
}

// noteCandidates are the names of all notes, or their paths: whoever types a
// slash means a folder.
func noteCandidates(s *index.Snapshot, paths bool) []candidate {
	all := make([]candidate, 0, s.Len())
	for _, note := range s.Names() {
		name := note.Name
		if paths {
			name = note.Path.WithoutExt()
		}
		all = append(all, candidate{value: name})
	}
	return all
}

func fileCandidates(s *index.Snapshot) []candidate {
	all := make([]candidate, 0, s.Len())
	s.Files(func(path vpath.Path) bool {
		all = append(all, candidate{string(path), path.Base()})
		return true
	})
	return all
}

// headingCandidates are the headings of a note in their order. A name that
// means no note has none.
func (o *Ops) headingCandidates(ctx context.Context, name string) ([]candidate, error) {
	if name == "" {
		return nil, nil
	}
	s, path, err := o.find(ctx, name)
	switch fault.KindOf(err) {
	case fault.NotFound, fault.AmbiguousName, fault.InvalidArgument, fault.PermissionDenied:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []candidate
	if entry := s.Entry(path); entry != nil {
		for _, heading := range entry.Headings {
			if one := (candidate{value: heading.Text}); !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// propertyWords are what completion knows of the properties of all notes.
type propertyWords struct {
	names    []string
	projects []string // the values of the property project
}

// propertyMemo keeps the words of the last snapshot that was asked about: to
// look at every note takes long, and a client asks with every key that is
// typed. It does not keep the snapshot.
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

// wordsOf looks at the first word of each line of frontmatter instead of
// reading the YAML, which takes longer still; only a project's value is read.
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
	words.names, words.projects = sortedOnce(words.names), sortedOnce(words.projects)
	return words
}

func projectsOf(entry *index.Entry) []string {
	block, err := entry.Properties()
	if err != nil {
		return nil
	}
	value, _ := block.Get(projectProperty)
	var names []string
	for _, one := range append([]front.Value{value}, value.Items...) {
		if one.Kind == front.Text || one.Kind == front.Number {
			names = append(names, one.Text)
		}
	}
	return names
}

// sortedOnce sorts texts and keeps one spelling of each.
func sortedOnce(texts []string) []string {
	slices.Sort(texts)
	seen := map[vpath.Key]bool{}
	return slices.DeleteFunc(texts, func(text string) bool {
		key := vpath.FoldKey(text)
		known := seen[key] || text == ""
		seen[key] = true
		return known
	})
}

// topicFolder holds the development logs, a note for each topic.
const topicFolder vpath.Path = "devlog"

func topics(s *index.Snapshot) []string {
	var names []string
	for _, note := range s.Names() {
		if note.Path.Dir().Key() == topicFolder.Key() {
			names = append(names, note.Path.Name())
		}
	}
	return sortedOnce(names)
}

package resource

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/note/vpath"
)

// Completes says what an argument names, and so what it can be completed to.
type Completes uint8

// What can be completed.
const (
	CompleteNothing  Completes = iota
	CompleteNote               // the name of a note
	CompleteFile               // the path of any file
	CompleteHeading            // a heading of a note
	CompleteTag                // a tag, without #
	CompleteProperty           // the name of a property
	CompleteTopic              // the topic of a development log
	CompleteValue              // a value of a property
	CompleteFolder             // the path of a folder
	CompleteDate               // a day
	CompleteTemplate           // the name of a template
	CompleteStatus             // the name of a task's status
)

// Incomplete is a value that a user is typing.
type Incomplete struct {
	Of       Completes
	Value    string
	Note     string // the note whose headings are completed
	Property string // the property whose values are completed
}

// Completed lists what the value may become.
type Completed struct {
	Values []string // the best, at most maxCompletions
	Total  int
}

// maxCompletions is the most that the protocol lets an answer hold.
const maxCompletions = 100

// Complete lists what starts with a value, then what contains it, ignoring case.
func (c *Catalog) Complete(ctx context.Context, in Incomplete) (Completed, error) {
	if in.Of == CompleteNothing {
		return Completed{}, nil
	}
	s, err := c.vault.Texts(ctx)
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
		all, err = c.headingCandidates(ctx, in.Note)
	case CompleteTag:
		in.Value = strings.TrimPrefix(in.Value, "#")
		all = plainCandidates(s.Tags())
	case CompleteProperty:
		all = plainCandidates(c.properties.names(s))
	case CompleteTopic:
		all = plainCandidates(topics(s))
	case CompleteValue:
		all = plainCandidates(c.properties.values(s, in.Property))
	case CompleteFolder:
		s.Folders(func(folder vpath.Path) bool {
			all = append(all, candidate{string(folder), folder.Base()})
			return true
		})
	case CompleteDate:
		all = c.dateCandidates()
	case CompleteTemplate:
		all = c.templateCandidates(ctx, s)
	case CompleteStatus:
		all = c.statusCandidates(ctx)
	}
	if in.Of == CompleteHeading || in.Of == CompleteDate || in.Of == CompleteStatus {
		return complete(all, in.Value, nil), err
	}
	return complete(all, in.Value, cmp.Compare), err
}

// candidate is what a value may become. Users may also type its alternative: for a path, its last part.
type candidate struct{ value, alternative string }

func plainCandidates(values []string) []candidate {
	all := make([]candidate, len(values))
	for i, value := range values {
		all[i].value = value
	}
	return all
}

// complete keeps the candidates that match, best rank first. Within a rank they are sorted by order; if that is nil
// they stay as they came.
func complete(all []candidate, value string, order func(a, b string) int) Completed {
	want := string(vpath.FoldKey(value))
	var ranked [3][]string
	for _, candidate := range all {
		if rank := candidate.rank(want); rank >= 0 {
			ranked[rank] = append(ranked[rank], candidate.value)
		}
	}
	var done Completed
	for _, values := range ranked {
		done.Total += len(values)
		if order != nil {
			values = firstOf(slices.Values(values), maxCompletions, order)
		}
		done.Values = append(done.Values, values...)
	}
	done.Values = done.Values[:min(len(done.Values), maxCompletions)]
	return done
}

// rank is 0 if the candidate starts with the text, 1 if its alternative does, 2 if either contains it, and -1 if it
// does not match.
func (c candidate) rank(want string) int {
	value, alternative := string(vpath.FoldKey(c.value)), ""
	if c.alternative != "" {
		alternative = string(vpath.FoldKey(c.alternative))
	}
	switch {
	case strings.HasPrefix(value, want):
		return 0
	case strings.HasPrefix(alternative, want):
		return 1
	case strings.Contains(value, want), strings.Contains(alternative, want):
		return 2
	}
	return -1
}

// noteCandidates returns the names of all notes, or their paths: a user who types a slash means a folder.
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

// headingCandidates returns the headings of a note in their order. It returns nothing if the name does not name a note.
func (c *Catalog) headingCandidates(ctx context.Context, name string) ([]candidate, error) {
	if name == "" {
		return nil, nil
	}
	s, path, err := c.vault.Find(ctx, name)
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
			if next := (candidate{value: heading.Text}); !slices.Contains(all, next) {
				all = append(all, next)
			}
		}
	}
	return all, nil
}

// dateCandidates returns the days around today. Users may also type what they call them.
func (c *Catalog) dateCandidates() []candidate {
	today := c.now()
	all := []candidate{
		{today.Format(time.DateOnly), "today"}, {today.AddDate(0, 0, -1).Format(time.DateOnly), "yesterday"},
		{today.AddDate(0, 0, 1).Format(time.DateOnly), "tomorrow"},
	}
	for days := 2; days <= 7; days++ {
		day := today.AddDate(0, 0, -days)
		all = append(all, candidate{day.Format(time.DateOnly), day.Weekday().String()})
	}
	return all
}

// templateCandidates returns the notes in the folders of templates.
func (c *Catalog) templateCandidates(ctx context.Context, s *index.Snapshot) []candidate {
	var all []candidate
	for _, path := range c.vault.Layout(ctx).TemplatesIn(s) {
		all = append(all, candidate{s.Name(path), path.WithoutExt()})
	}
	return all
}

// statusCandidates returns the statuses of tasks in the order of the settings, which callers with limits do not see.
func (c *Catalog) statusCandidates(ctx context.Context) []candidate {
	statuses := task.Defaults().Statuses
	if c.vault.Key() == "" {
		statuses = c.vault.Tasks(ctx).Statuses
	}
	var all []candidate
	for _, status := range statuses {
		if next := (candidate{status.Name, string(status.Type)}); !slices.Contains(all, next) {
			all = append(all, next)
		}
	}
	return all
}

// topicFolder holds the development logs, one note per topic.
const topicFolder vpath.Path = "devlog"

func topics(s *index.Snapshot) []string {
	var names []string
	for _, note := range s.Names() {
		if note.Path.Dir().Key() == topicFolder.Key() {
			names = append(names, note.Path.Name())
		}
	}
	return uniqueSorted(names)
}

// uniqueSorted sorts texts and keeps one spelling of each.
func uniqueSorted(texts []string) []string {
	slices.Sort(texts)
	seen := map[vpath.Key]bool{}
	return slices.DeleteFunc(texts, func(text string) bool {
		key := vpath.FoldKey(text)
		drop := seen[key] || text == ""
		seen[key] = true
		return drop
	})
}

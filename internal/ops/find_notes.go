package ops

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/regex"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault/call"
)

// FindNotes are the parameters of find_notes.
type FindNotes struct {
	Query          string      `json:"query" jsonschema:"words or a question; or Obsidian's search language: \"a phrase\", OR, -not, ( ), /regex/, file: path: content: tag: line: block: section: task: task-todo: task-done:, [property:value]" default:""`
	SinceDays      *int        `json:"since_days" jsonschema:"only changed in the last N days" default:""`
	UntilDays      *int        `json:"until_days" jsonschema:"only unchanged for N days" default:""`
	Tags           []string    `json:"tags" jsonschema:"only with all of these tags, or tags below them" default:"[]"`
	PathPrefix     string      `json:"path_prefix" jsonschema:"only paths that start with this" default:""`
	Properties     tool.Object `json:"properties" jsonschema:"only with these properties: {\"status\":\"draft\",\"rating\":\">=4\",\"done\":null}; a list means any of its values" default:"{}"`
	SortBy         string      `json:"sort_by" jsonschema:"relevance, modified, created (newest first) or title" default:"relevance"`
	Limit          int         `json:"limit" jsonschema:"up to 50" default:"10"`
	Offset         int         `json:"offset"`
	IncludeContent *bool       `json:"include_content" jsonschema:"return their text; default: if 3 or fewer" default:""`
	ExistsOnly     bool        `json:"exists_only" jsonschema:"only how many match" default:"false"`
	Mode           string      `json:"mode" jsonschema:"auto (both), words or meaning" default:"auto"`
	SimilarTo      string      `json:"similar_to" jsonschema:"only notes like this one" default:""`

	ReturnProperties []string `json:"return_properties" jsonschema:"properties whose values to return" default:"[]"`
}

// NotesFound is the result of find_notes: notes and total, or with
// exists_only exists and count.
type NotesFound struct {
	tool.Meta `json:"-"`

	Notes  *[]NoteFound `json:"notes,omitempty"`
	Total  *int         `json:"total,omitempty"`
	Exists *bool        `json:"exists,omitempty"`
	Count  *int         `json:"count,omitempty"`
}

// NoteFound is a note that matches.
type NoteFound struct {
	URI       string   `json:"uri"`
	Path      string   `json:"path"`
	Title     string   `json:"title"`
	Tags      []string `json:"tags"`
	Aliases   []string `json:"aliases"`
	Created   string   `json:"created"`
	Modified  string   `json:"modified"`
	Score     float64  `json:"score"`
	Snippet   string   `json:"snippet"`
	Line      int      `json:"line"`
	Section   string   `json:"section"`
	Partial   bool     `json:"partial,omitempty"`
	Content   *string  `json:"content,omitempty"`
	Truncated bool     `json:"truncated,omitempty"`

	Properties *tool.Object `json:"properties,omitempty"`
}

var findNotes = tool.New(tool.Spec{
	Name: "find_notes", Toolset: "find", Title: "Find notes", Effect: tool.Reads,
	About: "Ranked search of the whole vault by words and meaning, with snippets and filters; an empty query browses, newest first. Use search_notes for names, vault_search for regular expressions.",
}, (*Ops).FindNotes)

const (
	maxFound    = 50
	maxTags     = 100   // in one filter
	fewFound    = 3     // the most notes that come with their text by default
	maxContent  = 3_000 // characters of a note's text
	readForMore = "\n\n[Cut at 3,000 characters. The whole note: %s]"
)

// FindNotes finds notes.
func (o *Ops) FindNotes(ctx context.Context, in FindNotes) (NotesFound, error) {
	search, err := o.newSearch(ctx, in)
	if err != nil {
		return NotesFound{}, err
	}
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return NotesFound{}, err
	}
	search.Keep = o.filterOf(ctx, s, in)
	meta, err := o.chooseMode(ctx, s, in, &search)
	if err != nil {
		return NotesFound{}, err
	}
	results, err := o.searchOrCompare(ctx, s, in, search)
	if err != nil {
		return NotesFound{}, err
	}
	if results.ModelErr != nil {
		if meta, err = withoutMeaning(ctx, in); err != nil {
			return NotesFound{}, err
		}
	}
	if in.ExistsOnly {
		exists := results.Total > 0
		return NotesFound{Meta: meta, Exists: &exists, Count: &results.Total}, nil
	}
	results.Found = results.Found[min(in.Offset, len(results.Found)):]
	withContent := len(results.Found) <= fewFound
	if in.IncludeContent != nil {
		withContent = *in.IncludeContent
	}
	notes := make([]NoteFound, 0, len(results.Found))
	for _, found := range results.Found {
		entry := s.Entry(found.Path)
		note := o.noteFound(s, search.Query, found, entry, withContent)
		if note.Content != nil && !note.Truncated {
			if hash := s.Hash(found.Path); hash != "" {
				call.NoteShown(ctx, note.Path, call.Shown{Hash: hash})
			}
		}
		if note.Properties, err = propertiesOf(entry, in.ReturnProperties); err != nil {
			return NotesFound{}, err
		}
		notes = append(notes, note)
	}
	o.findHints(ctx, s, search.Query, in, len(notes), results.Total)
	return NotesFound{Meta: meta, Notes: &notes, Total: &results.Total}, nil
}

// newSearch checks the parameters and turns them into a search.
func (o *Ops) newSearch(ctx context.Context, in FindNotes) (index.Search, error) {
	orders := []string{"relevance", "modified", "created", "title"}
	order := slices.Index(orders, in.SortBy)
	switch {
	case order < 0:
		return index.Search{}, fault.InvalidArgument.Errorf("Invalid sort_by: %s. Valid: %s", in.SortBy, strings.Join(orders, ", "))
	case in.Limit < 0 || in.Offset < 0:
		return index.Search{}, fault.InvalidArgument.Errorf("limit and offset must not be negative")
	case in.SinceDays != nil && *in.SinceDays < 0 || in.UntilDays != nil && *in.UntilDays < 0:
		return index.Search{}, fault.InvalidArgument.Errorf("since_days and until_days must not be negative")
	case len(in.Tags) > maxTags:
		return index.Search{}, fault.InvalidArgument.Errorf("too many tags: %d; the limit is %d", len(in.Tags), maxTags)
	}
	for _, tag := range in.Tags {
		if strings.Trim(tag, "#/ ") == "" {
			return index.Search{}, fault.InvalidArgument.Errorf("tags: '%s' is not a tag", tag)
		}
	}
	query, err := search.Parse(in.Query, search.Options{Limit: regex.NewLimit(ctx.Done(), maxSteps)})
	if err != nil {
		return index.Search{}, err
	}
	filter, err := propertyFilter(in.Properties)
	if err != nil {
		return index.Search{}, err
	}
	limit := min(in.Limit, maxFound)
	if limit > 0 {
		limit += in.Offset
	}
	if in.ExistsOnly {
		limit = 0
	}
	return index.Search{Query: query, Filter: filter, Sort: index.Sort(order), Limit: limit}, nil
}

// noteFound describes a note that was found.
func (o *Ops) noteFound(s *index.Snapshot, query *search.Query, found index.Found, entry *index.Entry, withContent bool) NoteFound {
	passage := s.Passage(query, found)
	note := NoteFound{
		URI: o.uris.Of(found.Path), Path: string(found.Path), Title: found.Path.Name(), Tags: nonNil(entry.Tags), Aliases: nonNil(entry.Aliases),
		Created: stamp(entry.Created, entry.Modified), Modified: stamp(entry.Modified, entry.Modified),
		Score: math.Round(found.Score*1000) / 1000, Partial: found.Partial, Snippet: passage.Snippet, Line: passage.Line, Section: passage.Section,
	}
	if !withContent {
		return note
	}
	text, cut := cutContent(s.Text(found.Path), passage)
	if cut {
		text, note.Truncated = text+fmt.Sprintf(readForMore, note.URI), true
	}
	note.Content = &text
	return note
}

// elision marks what is left out of a text.
const elision = "[…]"

// cutContent cuts a text that is too long to its start or, if the best passage lies behind that, to the passage's section.
func cutContent(text string, best index.Passage) (content string, cut bool) {
	end := cutAt(text, maxContent)
	if end == len(text) {
		return text, false
	}
	if best.Offset < end || best.Offset >= len(text) {
		return text[:end], true
	}
	section := sectionAt(text, best.Offset)
	start := section.Start
	if start+cutAt(text[start:], maxContent) <= best.Offset { // a long section, of which the passage is shown
		start = strings.LastIndexByte(text[:best.Offset], '\n') + 1
	}
	part := text[start:max(section.End, start)]
	if short := cutAt(part, maxContent); short < len(part) {
		part = part[:short]
	}
	content = elision + "\n" + part
	if start+len(part) < len(text) {
		content = strings.TrimRight(content, "\n") + "\n" + elision
	}
	return content, true
}

// sectionAt returns the section around an offset, including its heading, or just the line if no heading precedes it.
func sectionAt(text string, offset int) md.Span {
	part := md.Span{Start: strings.LastIndexByte(text[:offset], '\n') + 1, End: md.NextLine([]byte(text), offset)}
	note := md.Scan([]byte(text))
	for i, heading := range note.Headings {
		if heading.Start > offset {
			break
		}
		part = md.Span{Start: heading.Start, End: note.SectionOf(i).End}
	}
	return part
}

// findHints says what a model should know about the results: whether there are more, and which words occur nowhere.
func (o *Ops) findHints(ctx context.Context, s *index.Snapshot, query *search.Query, in FindNotes, shown, total int) {
	if in.Limit > maxFound {
		tool.AddHint(ctx, tool.HintCut, "limit reduced to %d.", maxFound)
	}
	if shown > 0 {
		tool.ShownHint(ctx, shown, in.Offset, total)
	}
	words, plain := query.Plain()
	if !plain || total > 0 {
		return
	}
	var missing []string
	for _, word := range words {
		word = strings.TrimFunc(word, unicode.IsPunct) // a question ends in a mark
		if !slices.Contains(missing, word) && !s.Occurs(word) {
			missing = append(missing, word)
		}
	}
	if len(missing) > 0 {
		tool.AddHint(ctx, tool.HintSuggest, "No note contains: %s.", strings.Join(missing, ", "))
	}
}

// propertiesOf returns the values of some properties of a note, as a JSON object; nil if none are wanted.
func propertiesOf(entry *index.Entry, wanted []string) (*tool.Object, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	found := front.Value{Kind: front.Map}
	if block, err := entry.Properties(); err == nil {
		for _, field := range block.Fields() {
			if slices.ContainsFunc(wanted, func(name string) bool { return strings.EqualFold(name, field.Key) }) {
				found.Fields = append(found.Fields, field)
			}
		}
	}
	encoded, err := found.MarshalJSON()
	object := tool.Object(encoded)
	return &object, err
}

// cutAt returns the offset in bytes after a number of characters.
func cutAt[T string | []byte](text T, characters int) int {
	if len(text) <= characters {
		return len(text)
	}
	count := 0
	for i := range string(text) { // does not copy
		if count++; count > characters {
			return i
		}
	}
	return len(text)
}

// stamp formats a time, or the fallback if it is unknown.
func stamp(when, fallback time.Time) string {
	if when.IsZero() {
		when = fallback
	}
	return when.UTC().Format(time.RFC3339)
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

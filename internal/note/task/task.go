// Package task reads and changes the lines of tasks as the plugin Tasks does, with the least change of the line: the box,
// or one field. It knows both of the plugin's formats, custom statuses and recurrence.
package task

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/note/moment"
)

// Kind is a kind of field.
type Kind string

// The kinds of fields, in the order in which the plugin looks for them.
const (
	Priority      Kind = "priority"
	DoneDate      Kind = "done"
	CancelledDate Kind = "cancelled"
	Due           Kind = "due"
	Scheduled     Kind = "scheduled"
	Start         Kind = "start"
	Created       Kind = "created"
	Recurrence    Kind = "recurrence"
	OnCompletion  Kind = "on_completion"
	tag           Kind = "tag"
	ID            Kind = "id"
	DependsOn     Kind = "depends_on"
)

// kinds is the order in which the plugin looks for fields.
var kinds = []Kind{Priority, DoneDate, CancelledDate, Due, Scheduled, Start, Created, Recurrence, OnCompletion, tag, ID, DependsOn}

// IsDate reports whether the values of a kind are dates.
func (k Kind) IsDate() bool {
	return slices.Contains([]Kind{DoneDate, CancelledDate, Due, Scheduled, Start, Created}, k)
}

// Field is a field of a task's line.
type Field struct {
	Kind       Kind
	Value      string
	inline     bool // in Dataview's format
	start, end int  // of the whole field in the line
	valueAt    int  // where its value starts
	valueEnd   int
}

// Task is a line that is a task.
type Task struct {
	Line        string
	Indent      string
	Marker      string
	Status      Status
	Description string
	Tags        []string
	BlockID     string
	Inferred    string // the scheduled date that the note's name gives

	fields   []Field // from left to right
	trailing []Field // tags among them, the last first
	dataview bool    // the settings' format, which counts if a line has both
	symbolAt int
	bodyAt   int
	bodyEnd  int // where the body ends, without the block id and white space
	textEnd  int // where the description ends, without trailing tags
}

// Get returns the value of a field, or "". Of two of a kind, the left one counts.
func (t Task) Get(kind Kind) string {
	if kind == Scheduled && t.Inferred != "" {
		return t.Inferred
	}
	if field := t.field(kind); field != nil {
		return field.Value
	}
	return ""
}

func (t Task) field(kind Kind) *Field {
	var other *Field
	for i := range t.fields {
		switch field := &t.fields[i]; {
		case field.Kind != kind:
		case field.inline == t.dataview:
			return field
		case other == nil:
			other = field
		}
	}
	return other
}

// HasFields reports whether the line has any field of the plugin.
func (t Task) HasFields() bool { return len(t.fields) > 0 }

// Body returns what follows the box, without the block id.
func (t Task) Body() string { return t.Line[t.bodyAt:t.bodyEnd] }

// Date returns the value of a date field, and whether there is one that exists.
func (t Task) Date(kind Kind) (moment.Date, bool) { return parseDate(t.Get(kind)) }

// parseDate reads a date as fields write it.
func parseDate(text string) (moment.Date, bool) {
	if !isDateText(text) {
		return moment.Date{}, false
	}
	var parts [3]int
	part := 0
	for _, c := range []byte(text) {
		if c == '-' {
			part++
		} else {
			parts[part] = 10*parts[part] + int(c-'0')
		}
	}
	date := moment.Date{Year: parts[0], Month: parts[1], Day: parts[2]}
	return date, date.AddDays(0) == date
}

func showDate(date moment.Date) string {
	return moment.English().Format(moment.Time{Date: date}, "YYYY-MM-DD")
}

// Parse reads a line. It returns false if the line is not a task.
func (s Settings) Parse(line string) (Task, bool) {
	t, ok := parseBox(line)
	if !ok {
		return Task{}, false
	}
	body := strings.TrimFunc(line[t.bodyAt:], isSpace)
	if body == "" {
		t.bodyAt = min(len(line), t.bodyAt+len(" "))
	} else {
		t.bodyAt += len(line[t.bodyAt:]) - len(strings.TrimLeftFunc(line[t.bodyAt:], isSpace))
	}
	t.bodyEnd = t.bodyAt + len(body)
	if at := strings.LastIndex(body, " ^"); at >= 0 && isBlockID(body[at+len(" ^"):]) {
		t.BlockID = body[at+len(" ^"):]
		t.bodyEnd = t.bodyAt + len(strings.TrimRightFunc(body[:at], isSpace))
	}
	if s.GlobalFilter != "" && !strings.Contains(line[t.bodyAt:t.bodyEnd], s.GlobalFilter) {
		return Task{}, false
	}
	t.Status = s.Status(line[t.symbolAt : t.symbolAt+symbolSize(line[t.symbolAt:])])
	t.dataview = s.Dataview
	t.readFields()
	t.Tags = slices.DeleteFunc(tagsIn(t.Description), func(tag string) bool { return tag == s.GlobalFilter })
	return t, true
}

// Infer returns the task with the scheduled date that the name of its note gives, if that counts.
func (s Settings) Infer(t Task, path string) Task {
	if !s.DateFromName || t.field(Start) != nil || t.field(Scheduled) != nil || t.field(Due) != nil {
		return t
	}
	t.Inferred = s.dateOfName(path)
	return t
}

// dateOfName finds a date in the name of a note.
func (s Settings) dateOfName(path string) string {
	folder, name := "", strings.TrimSuffix(path, ".md")
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		folder, name = name[:at], name[at+1:]
	}
	isIn := func(of string) bool {
		of = strings.Trim(of, "/")
		return of == "" || folder == of || strings.HasPrefix(folder, of+"/")
	}
	if len(s.NameFolders) > 0 && !slices.ContainsFunc(s.NameFolders, isIn) {
		return ""
	}
	if s.NameFormat != "" {
		if at, ok := s.Locale.Parse(name, s.NameFormat, moment.Time{}); ok {
			return showDate(at.Date)
		}
	}
	for _, pattern := range []*regexp.Regexp{dashedDate, plainDate} {
		if found := pattern.FindStringSubmatch(name); found != nil {
			if _, exists := parseDate(found[1] + "-" + found[2] + "-" + found[3]); exists {
				return found[1] + "-" + found[2] + "-" + found[3]
			}
		}
	}
	return ""
}

var (
	tags       = regexp.MustCompile(`(?:^|\s)#[^ !@#$%^&*(),.?":{}|<>]+`)
	dashedDate = regexp.MustCompile(`(\d{4})-(\d{2})-(\d{2})`)
	plainDate  = regexp.MustCompile(`(\d{4})(\d{2})(\d{2})`)
)

// parseBox reads the line up to its body.
func parseBox(line string) (Task, bool) {
	unindented := strings.TrimLeft(line, " \t>\n\f\r")
	marker := markerOf(unindented)
	rest := strings.TrimLeft(unindented[len(marker):], " ")
	if marker == "" || len(rest) == len(unindented)-len(marker) || !strings.HasPrefix(rest, "[") {
		return Task{}, false
	}
	t := Task{Line: line, Indent: line[:len(line)-len(unindented)], Marker: marker, symbolAt: len(line) - len(rest) + len("[")}
	size := symbolSize(line[t.symbolAt:])
	if size == 0 || !strings.HasPrefix(line[t.symbolAt+size:], "]") {
		return Task{}, false
	}
	t.bodyAt = t.symbolAt + size + len("]")
	return t, true
}

// markerOf returns the marker of a list item: a mark, or a number with a point or bracket.
func markerOf(text string) string {
	if text != "" && strings.IndexByte("-*+", text[0]) >= 0 {
		return text[:1]
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == 0 || digits == len(text) || text[digits] != '.' && text[digits] != ')' {
		return ""
	}
	return text[:digits+1]
}

func isBlockID(text string) bool {
	return text != "" && strings.TrimFunc(text, func(r rune) bool { return isAlphanumeric(r) || r == '-' }) == ""
}

func symbolSize(text string) int {
	if text == "" {
		return 0
	}
	_, size := utf8.DecodeRuneInString(text)
	return size
}

func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }

func tagsIn(text string) []string {
	if strings.IndexByte(text, '#') < 0 {
		return nil
	}
	var found []string
	for _, tag := range tags.FindAllString(text, -1) {
		found = append(found, strings.TrimFunc(tag, isSpace))
	}
	return found
}

package ops

import (
	"context"
	"errors"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/kanban"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/tasks"
	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/wire"
)

// FindTasks are the parameters of find_tasks.
type FindTasks struct {
	Query  string `json:"query" jsonschema:"the Tasks plugin's language, in lines or with ; as in: not done; due before tomorrow; path includes Work; sort by due; group by folder. @Note#2 runs a note's second tasks block; or Dataview's TASK" default:"not done"`
	Note   string `json:"note" jsonschema:"only in this note" default:""`
	Folder string `json:"folder" jsonschema:"only in this folder" default:""`
	Limit  int    `json:"limit" default:"50"`
	Offset int    `json:"offset" default:"0"`
}

// TasksFound is the result of find_tasks.
type TasksFound struct {
	Tasks  []TaskFound   `json:"tasks"`
	Groups []tool.Object `json:"groups,omitempty"`
	Total  int           `json:"total"`
}

// TaskFound is a task in the result of find_tasks.
type TaskFound struct {
	Path       string      `json:"path"`
	Line       int         `json:"line"`
	Symbol     string      `json:"symbol"`
	Type       string      `json:"type"`
	Text       string      `json:"text"`
	Heading    string      `json:"heading"`
	Tags       []string    `json:"tags"`
	Priority   string      `json:"priority,omitempty"`
	Created    string      `json:"created,omitempty"`
	Start      string      `json:"start,omitempty"`
	Scheduled  string      `json:"scheduled,omitempty"`
	Due        string      `json:"due,omitempty"`
	Done       string      `json:"done,omitempty"`
	Cancelled  string      `json:"cancelled,omitempty"`
	Recurrence string      `json:"recurrence,omitempty"`
	ID         string      `json:"id,omitempty"`
	DependsOn  []string    `json:"depends_on,omitempty"`
	BlockedBy  []TaskPlace `json:"blocked_by,omitempty"`
	Lane       string      `json:"lane,omitempty"`
	Urgency    float64     `json:"urgency"`
	Hash       string      `json:"hash"`
}

// TaskPlace says where a task is.
type TaskPlace struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	ID   string `json:"id,omitempty"`
}

// taskGroup is a group of tasks in the result of find_tasks.
type taskGroup struct {
	Names []string    `json:"names"`
	Total int         `json:"total"`
	Tasks []TaskPlace `json:"tasks"`
}

var findTasks = tool.New(tool.Spec{
	Name: "find_tasks", Toolset: "tasks", Title: "Find tasks", Effect: tool.Reads,
	About: "Finds tasks (to-dos, checkboxes) in the whole vault by status, due and other dates, priority, tags, path and text; by default open ones, begun and urgent first. " +
		"Use update_task to tick or change one, periodic_note for a day's note.",
}, (*Ops).FindTasks)

// FindTasks runs a query of the plugin Tasks.
func (o *Ops) FindTasks(ctx context.Context, in FindTasks) (TasksFound, error) {
	if in.Limit < 0 || in.Offset < 0 {
		return TasksFound{}, fault.InvalidArgument.Errorf("limit and offset must not be negative")
	}
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return TasksFound{}, err
	}
	settings := o.vault.Tasks(ctx)
	if first, _, _ := strings.Cut(strings.TrimSpace(in.Query)+" ", " "); strings.EqualFold(strings.TrimSpace(first), "TASK") {
		return o.tasksByDataview(ctx, s, in, settings)
	}
	query, err := o.taskQuery(ctx, in, settings)
	if err != nil {
		return TasksFound{}, err
	}
	isWanted, err := o.wantedNotes(ctx, s, in)
	if err != nil {
		return TasksFound{}, err
	}
	if in.Note != "" || in.Folder != "" {
		query.Only(isWanted)
	}
	set := s.Tasks(settings.Settings)
	result := query.Run(set, min(in.Offset, set.Len())+min(in.Limit, set.Len()))
	shown, _ := page(result.Items, in.Limit, in.Offset)
	found := TasksFound{Tasks: o.describeTasks(s, set, shown), Total: result.Total}
	if found.Groups, err = describeGroups(result, in.Offset, len(shown)); err != nil {
		return TasksFound{}, err
	}
	switch end := in.Offset + len(shown); {
	case end < result.Shown && len(shown) > 0:
		tool.AddHint(ctx, tool.HintCut, "%d of %d shown; continue with offset=%d.", len(shown), result.Shown, end)
	case in.Offset >= result.Shown && in.Offset > 0:
		tool.AddHint(ctx, tool.HintCut, "The offset is past the last of %s.", amount.Of(result.Shown, "task"))
	}
	tellAboutQuery(ctx, in.Query)
	o.tellAboutTasks(ctx, settings, result.Total)
	return found, nil
}

var (
	comparedSign = regexp.MustCompile(`(?im)^(due|done|scheduled|starts|created|cancelled|happens)\s*[<>=]`)
	looseAnd     = regexp.MustCompile(`(?m)^[^("\[{/]*\b(?i:includes?)\b[^/]* (AND|OR|NOT) `)
)

// tellAboutQuery says what a query means that looks as if it meant something else.
func tellAboutQuery(ctx context.Context, query string) {
	lines := tasks.Split(strings.TrimSpace(query))
	switch {
	case strings.HasPrefix(lines, "#") && !strings.Contains(lines, "\n"):
		tool.AddHint(ctx, tool.HintSuggest, "A line that starts with # is a comment. For a tag write: tags include %s", cutText(strings.Fields(lines)[0]))
	case comparedSign.MatchString(lines):
		tool.AddHint(ctx, tool.HintSuggest, "The signs <, > and = mean nothing here; write before, after or on.")
	case looseAnd.MatchString(lines):
		tool.AddHint(ctx, tool.HintSuggest, "AND, OR and NOT are part of the text that is looked for. Write (a) AND (b), or a line for each filter.")
	}
}

// tellAboutTasks says what about the settings explains a result.
func (o *Ops) tellAboutTasks(ctx context.Context, settings vault.Tasks, total int) {
	if total == 0 && settings.GlobalFilter != "" {
		tool.AddHint(ctx, tool.HintSuggest, "In this vault only lines with '%s' are tasks.", cutText(settings.GlobalFilter))
	}
	if len(settings.Unreadable) > 0 && !o.limited() {
		tool.AddHint(ctx, tool.HintSuggest, "Tell the user: Obsidian's settings in %s cannot be read; defaults count instead.", strings.Join(settings.Unreadable, ", "))
	}
}

// taskQuery reads the query, or that of the block that it names.
func (o *Ops) taskQuery(ctx context.Context, in FindTasks, settings vault.Tasks) (*tasks.Query, error) {
	c := tasks.Context{Settings: settings.Settings, GlobalQuery: settings.GlobalQuery, Presets: settings.Presets, Today: o.clock.moment().Date}
	text := tasks.Split(strings.TrimSpace(in.Query))
	if name, isBlock := strings.CutPrefix(text, "@"); isBlock {
		name, further, _ := strings.Cut(name, "\n")
		block, file, err := o.taskBlock(ctx, name)
		if err != nil {
			return nil, err
		}
		text, c.File = block+"\n"+further, file
	}
	query, err := tasks.Parse(text, c)
	failed, isKnown := errors.AsType[*tasks.Error](err)
	if !isKnown {
		return query, err
	}
	failed.Line = cutText(failed.Line)
	if failed.In != "" && o.limited() {
		return nil, fault.InvalidArgument.Errorf("the vault's own settings for queries have a mistake")
	}
	return nil, fault.InvalidArgument.Errorf("%s", failed).WithHint("%s", o.queryAdvice(failed, settings))
}

// queryAdvice says how to write a query that cannot be understood.
func (o *Ops) queryAdvice(failed *tasks.Error, settings vault.Tasks) string {
	switch failed.Kind {
	case tasks.UnknownInstruction:
		if near := fault.Nearest(failed.Line, tasks.Instructions()); near != "" {
			return "did you mean '" + near + "'?"
		}
	case tasks.BadDate:
		return "write 2026-11-16, tomorrow, next friday, in two weeks, this week or 2026-11-16 2026-11-30"
	case tasks.UnknownPreset:
		if !o.limited() {
			return "presets are: " + strings.Join(slices.Sorted(maps.Keys(settings.Presets)), ", ")
		}
	}
	return "for example: not done; due before tomorrow; tags include #work; priority is high; (a) OR (b); sort by due; limit 10"
}

// taskBlock returns the query of a tasks block: the first of a note, or that with the number behind #.
func (o *Ops) taskBlock(ctx context.Context, name string) (string, *tasks.File, error) {
	number := 1
	if at := strings.LastIndexByte(name, '#'); at >= 0 {
		if n, err := strconv.Atoi(strings.TrimSpace(name[at+1:])); err == nil {
			name, number = name[:at], n
		}
	}
	s, path, err := o.findNote(ctx, strings.TrimSpace(name))
	if err != nil {
		return "", nil, err
	}
	file, err := o.vault.Read(ctx, path, vault.MaxNote)
	if err != nil {
		return "", nil, err
	}
	note := md.Scan(file.Data)
	blocks := tasks.Blocks(note)
	if number < 1 || number > len(blocks) {
		return "", nil, fault.NotFound.Errorf("'%s' has no tasks block %d", name, number).WithHint("it has %s", amount.Of(len(blocks), "such block"))
	}
	return blocks[number-1], &tasks.File{Path: string(path), Property: propertyOf(s.Entry(path))}, nil
}

// propertyOf returns a function that reads the properties of a note as text.
func propertyOf(entry *index.Entry) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		if entry == nil {
			return "", false
		}
		block, err := entry.Properties()
		if err != nil {
			return "", false
		}
		value, found := block.Get(name)
		return value.Text, found
	}
}

// wantedNotes returns whether tasks of a note are wanted: by the name of a note, or of a folder.
func (o *Ops) wantedNotes(ctx context.Context, s *index.Snapshot, in FindTasks) (func(path string) bool, error) {
	var note vpath.Path
	if in.Note != "" {
		_, path, err := o.findNote(ctx, in.Note)
		if err != nil {
			return nil, err
		}
		note = path
	}
	folder, err := findFolder(s, in.Folder)
	return func(path string) bool {
		return (note == "" || path == string(note)) && (folder == "" || vpath.Path(path).In(folder))
	}, err
}

func (o *Ops) describeTasks(s *index.Snapshot, set *tasks.Set, items []*tasks.Item) []TaskFound {
	found := make([]TaskFound, len(items))
	today := o.clock.moment().Date
	hashes := map[string]string{}
	for i, item := range items {
		found[i] = describeTask(s, set, item)
		hash, isKnown := hashes[item.Path]
		if !isKnown {
			hash = s.Hash(vpath.Path(item.Path))
			hashes[item.Path] = hash
		}
		found[i].Hash = hash
		found[i].Urgency = math.Round(100*item.Urgency(today)) / 100
	}
	return found
}

// tasksByDataview runs a TASK query of Dataview. Of the lines that it finds, those that are tasks of the vault are listed.
func (o *Ops) tasksByDataview(ctx context.Context, s *index.Snapshot, in FindTasks, settings vault.Tasks) (TasksFound, error) {
	asked := askedQuery{text: strings.TrimSpace(in.Query), wanted: value.All}
	isWanted, err := o.wantedNotes(ctx, s, in)
	if err != nil {
		return TasksFound{}, err
	}
	answer, err := o.runDataview(ctx, s, asked)
	if err != nil {
		return TasksFound{}, err
	}
	var places []tasks.Location
	for _, row := range answer.tasks {
		if isWanted(row.Path) {
			places = append(places, tasks.Location{Path: row.Path, Line: row.Line})
		}
	}
	set := s.Tasks(settings.Settings)
	items := set.Pick(places)
	shown, _ := page(items, in.Limit, in.Offset)
	tool.ShownHint(ctx, len(shown), in.Offset, len(items))
	for _, warning := range answer.warnings {
		tool.AddHint(ctx, tool.HintSuggest, "%s.", warning)
	}
	o.tellAboutTasks(ctx, settings, len(items))
	return TasksFound{Tasks: o.describeTasks(s, set, shown), Total: len(items)}, nil
}

// describeTask returns what is known about a task.
func describeTask(s *index.Snapshot, set *tasks.Set, item *tasks.Item) TaskFound {
	read := item.Task()
	found := TaskFound{
		Path: item.Path, Line: item.Line + 1, Symbol: item.Status.Symbol, Type: string(item.Status.Type), Text: item.Description, Heading: item.Heading,
		Tags: []string{}, Priority: read.Get(task.Priority), Created: read.Get(task.Created), Start: read.Get(task.Start),
		Scheduled: read.Get(task.Scheduled), Due: read.Get(task.Due), Done: read.Get(task.DoneDate), Cancelled: read.Get(task.CancelledDate),
		Recurrence: read.Get(task.Recurrence), ID: read.Get(task.ID),
	}
	for _, tag := range item.Tags {
		found.Tags = append(found.Tags, strings.TrimPrefix(tag, "#"))
	}
	if ids := read.Get(task.DependsOn); ids != "" {
		found.DependsOn = strings.Split(ids, ",")
	}
	for _, other := range set.BlockedBy(item) {
		found.BlockedBy = append(found.BlockedBy, TaskPlace{other.Path, other.Line + 1, other.ID()})
	}
	if entry := s.Entry(vpath.Path(item.Path)); entry != nil && kanban.IsBoard(entry.Front) {
		found.Lane = kanban.LaneOf(item.Heading)
	}
	return found
}

// sortMark is a comment in the name of a group, which puts it in its place and is not shown.
var sortMark = regexp.MustCompile(`^%%\d+%%`)

// describeGroups lists the groups of a page of the result: those with new tasks on it, and those that have only tasks of
// earlier groups. A task that an earlier group has is listed where its other group begins.
func describeGroups(result tasks.Result, offset, size int) ([]tool.Object, error) {
	at := make(map[*tasks.Item]int, len(result.Items))
	for i, item := range result.Items {
		at[item] = i
	}
	isOnPage := func(i int) bool { return offset <= i && i < offset+size }
	var described []tool.Object
	for _, group := range result.Groups {
		hasNew := len(group.Items) < group.Total || slices.ContainsFunc(group.Items, func(item *tasks.Item) bool { return at[item] >= group.Start })
		begins := hasNew && isOnPage(group.Start) || !hasNew && isOnPage(group.Start-1)
		listed := taskGroup{Total: group.Total}
		for _, item := range group.Items {
			if i := at[item]; isOnPage(i) && i >= group.Start || begins && i < group.Start {
				listed.Tasks = append(listed.Tasks, TaskPlace{Path: item.Path, Line: item.Line + 1})
			}
		}
		if len(listed.Tasks) == 0 {
			continue
		}
		for _, name := range group.Names {
			listed.Names = append(listed.Names, strings.TrimSpace(sortMark.ReplaceAllString(name, "")))
		}
		encoded, err := wire.Encode(listed)
		if err != nil {
			return nil, err
		}
		described = append(described, tool.Object(encoded))
	}
	return described, nil
}

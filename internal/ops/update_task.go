package ops

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// UpdateTask are the parameters of update_task.
type UpdateTask struct {
	Note         string      `json:"note" jsonschema:"name or path; create: empty for today's note" default:""`
	Line         int         `json:"line" jsonschema:"line of the task" default:"0"`
	Text         string      `json:"text" jsonschema:"its text; with line, both must agree. create: the new task" default:""`
	Action       string      `json:"action" jsonschema:"toggle, done, todo, cancel, set, create or move (to a section or lane)" default:"toggle"`
	Set          tool.Object `json:"set" jsonschema:"set, create: status, due, scheduled, start, priority, recurrence, id, depends_on, description; empty removes" default:"{}"`
	Section      string      `json:"section" jsonschema:"create, move: the heading to go under" default:""`
	Lane         string      `json:"lane" jsonschema:"create, move: lane of a Kanban board; move: or Archive" default:""`
	DryRun       bool        `json:"dry_run"`
	ExpectedHash string      `json:"expected_hash" jsonschema:"hash from find_tasks; refused if the note has changed" default:""`
}

// TaskUpdated is the result of update_task.
type TaskUpdated struct {
	tool.Meta `json:"-"`
	Path      string    `json:"path"`
	Line      int       `json:"line"`
	Before    []string  `json:"before"`
	After     []string  `json:"after"`
	Next      *NextTask `json:"next,omitempty"`
	DryRun    bool      `json:"dry_run"`
}

// NextTask is the next occurrence of a recurring task.
type NextTask struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

var updateTask = tool.New(tool.Spec{
	Name: "update_task", Toolset: "tasks", Title: "Tick or change a task", Effect: tool.Destroys,
	About: "Ticks, reopens, cancels, reschedules, creates or moves a task (to-do, checkbox, Kanban card) by the vault's Tasks settings: statuses, done dates, recurrence. " +
		"The rest of its line stays. Name it by line and text from find_tasks. Use append_periodic_note to carry tasks over.",
}, (*Ops).UpdateTask)

// taskActions are the actions of update_task.
var taskActions = map[string]func(*taskEdit, context.Context) error{
	"toggle": (*taskEdit).toggle, "set": (*taskEdit).set, "create": (*taskEdit).create, "move": (*taskEdit).move,
	"done":   func(e *taskEdit, ctx context.Context) error { return e.become(ctx, task.Done) },
	"todo":   func(e *taskEdit, ctx context.Context) error { return e.become(ctx, task.Todo) },
	"cancel": func(e *taskEdit, ctx context.Context) error { return e.become(ctx, task.Cancelled) },
}

// UpdateTask changes a task.
func (o *Ops) UpdateTask(ctx context.Context, in UpdateTask) (TaskUpdated, error) {
	if taskActions[in.Action] == nil {
		return TaskUpdated{}, fault.InvalidArgument.Errorf("unknown action '%s'", in.Action).
			WithHint("actions are: %s; move with lane=Archive archives a card", strings.Join(slices.Sorted(maps.Keys(taskActions)), ", "))
	}
	if (in.Lane != "" || in.Section != "") && in.Action != "create" && in.Action != "move" {
		return TaskUpdated{}, fault.InvalidArgument.Errorf("lane and section are for the actions create and move").
			WithHint("action=move moves a card, and marks it if its lane is for finished ones")
	}
	set, err := o.readTaskFields(in)
	if err != nil {
		return TaskUpdated{}, err
	}
	return retryConflicts(ctx, in.ExpectedHash, func() (TaskUpdated, error) { return o.updateTaskOnce(ctx, in, set) })
}

func (o *Ops) updateTaskOnce(ctx context.Context, in UpdateTask, set taskFields) (TaskUpdated, error) {
	e := &taskEdit{unit: unit{ops: o}, in: in, fields: set, now: o.clock.moment()}
	e.result = TaskUpdated{Before: []string{}, After: []string{}, DryRun: in.DryRun}
	if err := e.open(ctx); err != nil {
		return TaskUpdated{}, err
	}
	e.settings = o.vault.Tasks(ctx) // once the vault is known, which in a database includes its settings
	if err := taskActions[in.Action](e, ctx); err != nil {
		return TaskUpdated{}, err
	}
	if err := e.write(ctx); err != nil {
		return TaskUpdated{}, err
	}
	o.tellAboutTasks(ctx, e.settings, 1)
	return e.result, nil
}

// taskEdit is one call of update_task.
type taskEdit struct {
	unit
	in       UpdateTask
	fields   taskFields
	settings vault.Tasks
	now      moment.Time
	path     vpath.Path
	file     store.File // without a revision if the note does not exist
	note     *md.Note
	data     []byte // the note as it is to be
	headings int    // how many headings it gets
	result   TaskUpdated
}

// open reads the note, or makes today's.
func (e *taskEdit) open(ctx context.Context) error {
	if e.in.Note == "" {
		if e.in.Action != "create" {
			return fault.InvalidArgument.Errorf("name the note of the task").WithHint("find_tasks finds tasks in all notes")
		}
		return e.openToday(ctx)
	}
	s, path, err := e.ops.findNote(ctx, e.in.Note)
	if e.in.Action == "create" && fault.KindOf(err) == fault.NotFound && err != nil {
		return fault.NotFound.Errorf("%w", err).WithHint("create_note makes a note")
	}
	if err != nil {
		return err
	}
	e.s, e.path = s, path
	if err := e.ops.mayWrite(path, e.in.Note); err != nil {
		return err
	}
	if e.file, err = e.ops.readExpected(ctx, e.in.Note, path, e.in.ExpectedHash); err != nil {
		return err
	}
	e.note, err = edit.Open(e.file.Data)
	return err
}

// openToday reads today's note, or makes its text from the template.
func (e *taskEdit) openToday(ctx context.Context) error {
	diary, err := e.ops.diary(ctx, "daily")
	if err != nil {
		return err
	}
	page, err := diary.page(e.now.Date)
	if err != nil {
		return err
	}
	entry := &diaryEntry{unit: unit{ops: e.ops, s: diary.s}, diary: diary, page: page, in: AppendPeriodicNote{ExpectedHash: e.in.ExpectedHash}}
	if err := entry.open(ctx); err != nil {
		return err
	}
	e.s, e.path, e.file, e.note, e.said = diary.s, entry.page.path, entry.file, entry.note, entry.said
	return nil
}

// name is what errors call the note, which may not exist yet.
func (e *taskEdit) name() string {
	if e.file.Rev == "" {
		return e.path.Name()
	}
	return e.s.Name(e.path)
}

// write commits the change, unless it is only tried or there is none.
func (e *taskEdit) write(ctx context.Context) error {
	e.result.Path = string(e.path)
	if after := md.Scan(e.data); len(after.Headings) != len(e.note.Headings)+e.headings {
		return fault.InvalidArgument.Errorf("in '%s', the change would turn other text into a heading, or a heading into text", e.name()).
			WithHint("put blank lines around the task first")
	}
	splice := difference(e.note.Source, e.data)
	if err := e.allow(e.ops.tags.checkEdit(ctx, e.s, e.path, e.note, []md.Splice{splice})); err != nil {
		return err
	}
	if err := vault.CheckSize(e.path, e.data); err != nil {
		return err
	}
	var changes []store.Change
	isNew := e.file.Rev == ""
	if isNew || string(e.data) != string(e.file.Data) {
		changes = append(changes, store.Change{Path: e.path, Base: e.file.Rev, Was: e.file.Data, Data: e.data})
	}
	if len(changes) == 0 {
		e.say("Nothing changes: the task is like that already.")
	}
	e.had = allTags(e.note)
	err := e.finish(ctx, consent{dryRun: e.in.DryRun}, len(changes), changes, e.ops.vault.Commit)
	if isNew && errors.Is(err, fault.AlreadyExists) {
		err = fault.Conflict.Errorf("'%s' was created at the same time", e.path) // so it is tried again
	}
	e.result.Meta = tool.Meta{"hash": store.Hash(e.data), "changed": len(changes) > 0 && !e.in.DryRun}
	return err
}

// difference returns the splice that makes one text of another.
func difference(before, after []byte) md.Splice {
	start := 0
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < len(before)-start && end < len(after)-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	return md.Splice{Span: md.Span{Start: start, End: len(before) - end}, Text: after[start : len(after)-end]}
}

// replaceLine puts other lines in the place of the one that starts at an offset.
func (e *taskEdit) replaceLine(start int, lines []string) {
	src := e.note.Source
	end := md.NextLine(src, start)
	span := md.Span{Start: start, End: start + len(strings.TrimRight(string(src[start:end]), "\r\n"))}
	text := strings.Join(lines, md.LineEnd(src, end))
	if len(lines) == 0 {
		span.End = end
	}
	e.data = md.Apply(src, []md.Splice{{Span: span, Text: []byte(text)}})
}

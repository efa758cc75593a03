package ops

import (
	"context"
	"errors"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// AppendPeriodicNote are the parameters of append_periodic_note.
type AppendPeriodicNote struct {
	Text         string `json:"text" jsonschema:"Markdown to add; without it, the note is only created" default:""`
	Period       string `json:"period" jsonschema:"daily, weekly, monthly, quarterly or yearly" default:"daily"`
	Date         string `json:"date" jsonschema:"as in periodic_note, but no range" default:"today"`
	Section      string `json:"section" jsonschema:"the heading to add under" default:""`
	At           string `json:"at" jsonschema:"end or start of the section or note" default:"end"`
	CarryOver    bool   `json:"carry_over" jsonschema:"move the open tasks of the note before here" default:"false"`
	DryRun       bool   `json:"dry_run"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// PeriodicNoteAppended is the result of append_periodic_note.
type PeriodicNoteAppended struct {
	Path    string `json:"path"`
	Created bool   `json:"created"`
	Period  string `json:"period"`
	Date    string `json:"date"`
	Carried int    `json:"carried"`
	DryRun  bool   `json:"dry_run"`
}

var appendPeriodicNote = tool.New(tool.Spec{
	Name: "append_periodic_note", Toolset: "daily", Title: "Add to a daily, weekly … note", Effect: tool.Adds,
	About: "Adds text to the daily, weekly, monthly, quarterly or yearly note of a date, by default today's; makes it from the vault's template if needed. " +
		"Use this for quick notes, logs and plans, append_note for any other note.",
}, (*Ops).AppendPeriodicNote)

// AppendPeriodicNote adds text to the note of a period.
func (o *Ops) AppendPeriodicNote(ctx context.Context, in AppendPeriodicNote) (PeriodicNoteAppended, error) {
	if in.At != "end" && in.At != "start" {
		return PeriodicNoteAppended{}, fault.InvalidArgument.Errorf("at must be end or start")
	}
	once := func() (PeriodicNoteAppended, error) { return o.appendPeriodicOnce(ctx, in) }
	if in.CarryOver {
		return exclusively(ctx, o, in.ExpectedHash, once)
	}
	return retryConflicts(ctx, in.ExpectedHash, once)
}

func (o *Ops) appendPeriodicOnce(ctx context.Context, in AppendPeriodicNote) (PeriodicNoteAppended, error) {
	diary, err := o.diary(ctx, in.Period)
	if err != nil {
		return PeriodicNoteAppended{}, err
	}
	start, err := diary.start(in.Date)
	if err != nil {
		return PeriodicNoteAppended{}, err
	}
	page, err := diary.page(start)
	if err != nil {
		return PeriodicNoteAppended{}, err
	}
	entry := &diaryEntry{unit: unit{ops: o, s: diary.s}, diary: diary, page: page, in: in, commit: o.vault.Commit}
	if err := entry.open(ctx); err != nil {
		return PeriodicNoteAppended{}, err
	}
	if err := entry.add(ctx); err != nil {
		return PeriodicNoteAppended{}, err
	}
	err = entry.finish(ctx, consent{dryRun: in.DryRun}, len(entry.changes), entry.changes, entry.commit)
	if errors.Is(err, fault.AlreadyExists) {
		err = fault.Conflict.Errorf("'%s' was created at the same time", entry.page.path) // so it is tried again
	}
	if err != nil {
		return PeriodicNoteAppended{}, err
	}
	diary.tell(ctx)
	return PeriodicNoteAppended{
		Path: string(entry.page.path), Created: !page.exists, Period: in.Period, Date: isoDate(start), Carried: entry.carried, DryRun: in.DryRun,
	}, nil
}

// diaryEntry is what a call adds to the note of a period.
type diaryEntry struct {
	unit
	diary   *diary
	page    diaryPage
	in      AppendPeriodicNote
	file    store.File // the note as it is; without a revision if it does not exist
	note    *md.Note   // what to add to: the note, or what its template makes
	carried int        // open tasks that come from the note before
	tasks   int        // all tasks that come from there
	changes []store.Change
	commit  func(context.Context, []store.Change) ([]store.Result, error)
}

// open reads the note, or makes its text from the template.
func (e *diaryEntry) open(ctx context.Context) error {
	if e.page.exists {
		if err := e.ops.mayWrite(e.page.path, string(e.page.path)); err != nil {
			return err
		}
		file, err := e.ops.readExpected(ctx, string(e.page.path), e.page.path, e.in.ExpectedHash)
		if err != nil {
			return err
		}
		e.file = file
		e.note, err = edit.Open(file.Data)
		return err
	}
	if e.in.ExpectedHash != "" {
		return vault.ExpectAbsent(e.page.path, e.in.ExpectedHash)
	}
	path, err := portablePath(e.s, e.page.path)
	if err != nil {
		return err
	}
	if err := e.ops.mayWrite(path, string(path)); err != nil {
		return err
	}
	e.page.path = path
	text, err := e.diary.content(ctx, e.page, e.say)
	if err != nil {
		return err
	}
	e.note, err = edit.Open([]byte(text))
	return err
}

// add plans the change of the note, and of those that tasks come from.
func (e *diaryEntry) add(ctx context.Context) error {
	text := strings.Trim(resource.WithoutContext(e.in.Text), "\r\n")
	if e.in.CarryOver {
		carried, err := e.carryOver(ctx)
		if err != nil {
			return err
		}
		text = strings.TrimPrefix(carried+"\n"+text, "\n")
	}
	splices, err := e.place(ctx, text)
	if err != nil {
		return err
	}
	if err := e.allow(e.ops.tags.checkEdit(ctx, e.s, e.page.path, e.note, splices)); err != nil {
		return err
	}
	data := md.Apply(e.note.Source, splices)
	if err := e.ops.tags.checkOwner(e.note, md.Scan(data)); err != nil {
		return err
	}
	if countTasks(md.Scan(data)) < countTasks(e.note)+e.tasks {
		return fault.InvalidArgument.Errorf("in '%s', the tasks would no longer be tasks", e.page.path).
			WithHint("does that note end in a code block or comment that is not closed?")
	}
	if err := vault.CheckSize(e.page.path, data); err != nil {
		return err
	}
	if !e.page.exists || string(data) != string(e.file.Data) {
		e.changes = append(e.changes, store.Change{Path: e.page.path, Base: e.file.Rev, Was: e.file.Data, Data: data})
	}
	return nil
}

// place returns the splices that add text where the caller wants it.
func (e *diaryEntry) place(ctx context.Context, text string) ([]md.Splice, error) {
	atStart := e.in.At == "start"
	if e.in.Section == "" {
		if atStart {
			return edit.Prepend(e.note, text)
		}
		if text != "" && strings.TrimSpace(string(e.note.Source[e.note.Body:])) == "" {
			text += "\n" // the only text of the note is a line
		}
		return edit.Continue(e.note, text), nil
	}
	section, err := findSection(ctx, e.note, e.name(), e.in.Section)
	if err != nil {
		return nil, err
	}
	if atStart {
		return edit.PrependSection(e.note, section, text)
	}
	return edit.AppendSection(e.note, section, withoutHeading(e.note, section, text))
}

// name is what errors call the note, which may not exist yet.
func (e *diaryEntry) name() string {
	if e.page.exists {
		return e.s.Name(e.page.path)
	}
	return e.page.path.Name()
}

// countTasks is how many tasks a note has.
func countTasks(note *md.Note) int {
	tasks := 0
	for _, item := range note.Items {
		if item.IsTask() {
			tasks++
		}
	}
	return tasks
}

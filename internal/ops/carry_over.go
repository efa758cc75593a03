package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/amount"
)

// carryOver takes the open tasks out of the note before, and returns their lines. Links to them follow.
func (e *diaryEntry) carryOver(ctx context.Context) (string, error) {
	before := e.diary.at(e.page.start) - 1
	if before < 0 {
		e.say("No earlier note exists whose tasks could be carried over.")
		return "", nil
	}
	c, err := e.openBefore(ctx, e.diary.pages[before].path)
	if err != nil {
		return "", err
	}
	var pieces []edit.Piece
	isOpen := e.ops.openMarks(ctx)
	for _, span := range openTasks(c.note, isOpen) {
		pieces = append(pieces, edit.Piece{Span: span, To: e.page.path, Onto: e.note})
	}
	for _, item := range c.note.Items {
		isMoved := slices.ContainsFunc(pieces, func(piece edit.Piece) bool { return piece.Start <= item.Start && item.Start < piece.End })
		if isMoved && item.IsTask() {
			e.tasks++
			if isOpen(string(item.Task.Of(c.note.Source))) {
				e.carried++
			}
		}
	}
	if len(pieces) == 0 {
		e.say("'%s' has no open tasks to carry over.", c.path)
		return "", nil
	}
	prepare := func(set *vpath.Set, format edit.LinkFormat) *edit.Transplant {
		return edit.NewTransplant(set, c.path, c.note, pieces, format)
	}
	moved := c.prepared(ctx, prepare)
	var made []vpath.Path
	if c.targets = []vpath.Path{e.page.path}; !e.page.exists {
		made = c.targets
	}
	if err := c.follow(ctx, moved, made, prepare); err != nil {
		return "", err
	}
	if err := c.write(ctx, c.path, c.file, c.rest(moved, make([]string, len(pieces)))); err != nil {
		return "", err
	}
	e.note = md.Scan(c.relinked(moved.Links(), e.page.path, e.note))
	e.had, e.unknown = append(e.had, c.had...), append(e.unknown, c.unknown...)
	e.changes, e.commit = c.plan.changes, c.plan.vault.Commit
	verb := "were"
	if e.in.DryRun {
		verb = "would be"
	}
	e.say("%s of '%s' %s carried over.", amount.Of(e.carried, "open task"), c.path, verb)
	var text strings.Builder
	for i := range pieces {
		text.Write(trimmed(dedented(moved.Text(i))))
	}
	return strings.TrimRight(text.String(), "\r\n"), nil
}

// openBefore reads the note that tasks are taken from.
func (e *diaryEntry) openBefore(ctx context.Context, path vpath.Path) (*composition, error) {
	c := &composition{unit: unit{ops: e.ops, s: e.s}, in: ComposeNotes{DryRun: e.in.DryRun}, path: path}
	err := e.ops.mayWrite(path, string(path))
	if err == nil {
		c.file, err = e.ops.readExpected(ctx, string(path), path, "")
	}
	if err == nil {
		c.note, err = edit.Open(c.file.Data)
	}
	if err == nil {
		c.plan, err = e.ops.newPlan(ctx, c.s)
	}
	return c, err
}

// openTasks returns the lines of the open tasks of a note, each with all that is nested in it. Tasks in quotes and callouts
// stay where they are.
func openTasks(note *md.Note, isOpen func(mark string) bool) []md.Span {
	var spans []md.Span
	end := 0
	for _, item := range note.Items {
		line := note.Source[md.LineStart(note.Source, item.Start):]
		isQuoted := strings.HasPrefix(strings.TrimLeft(string(line[:min(len(line), maxIndent)]), " \t"), ">")
		if item.Start < end || !item.IsTask() || isQuoted || !isOpen(string(item.Task.Of(note.Source))) {
			continue
		}
		spans, end = append(spans, item.Span), item.End
	}
	return spans
}

// maxIndent bounds how far a line is looked at for the mark of a quote.
const maxIndent = 200

// openMarks returns a function that says whether a task with a character in its box is still to be done.
func (o *Ops) openMarks(ctx context.Context) func(mark string) bool {
	settings := o.vault.Tasks(ctx)
	statuses := settings.Settings
	if settings.IsPlain {
		statuses = statuses.Plain()
	}
	return func(mark string) bool { return mark != "X" && !statuses.Status(mark).Type.IsDone() }
}

// dedented returns the lines of a list item without the indentation of the first.
func dedented(text []byte) []byte {
	indent := string(text[:len(text)-len(strings.TrimLeft(string(text), " \t"))])
	var lines strings.Builder
	for line := range strings.Lines(string(text)) {
		lines.WriteString(strings.TrimPrefix(line, indent))
	}
	return []byte(lines.String())
}

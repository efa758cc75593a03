package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/kanban"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/query/tasks"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// listedTask is a line of a note that is a task.
type listedTask struct {
	tasks.Line
	task.Task
	settings task.Settings // those that count for this line
	isPlain  bool          // the plugin does not know the line
}

// read reads a line with a box. In a vault without the plugin, only lines with its fields follow its rules. It returns
// false for a box that is not where tasks have it, such as that of a list in a list on one line.
func (e *taskEdit) read(line tasks.Line, text string) (listedTask, bool) {
	read, ok := e.settings.Parse(text)
	if ok && (!e.settings.IsPlain || read.HasFields()) {
		return listedTask{line, read, e.settings.Settings, false}, true
	}
	plain := e.settings.Plain()
	read, ok = plain.Parse(text)
	return listedTask{line, read, plain, true}, ok
}

// fits reports whether a text is that of a task: its line, what follows its box, or its description.
func (t listedTask) fits(text string) bool {
	return slices.Contains([]string{strings.TrimSpace(t.Task.Line), t.Body(), t.Description}, text)
}

// hasWords reports whether a text contains another that begins and ends where words do.
func hasWords(text, words string) bool {
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for from := 0; ; {
		at := strings.Index(text[from:], words)
		if at < 0 || words == "" {
			return false
		}
		start, end := from+at, from+at+len(words)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		first, _ := utf8.DecodeRuneInString(words)
		last, _ := utf8.DecodeLastRuneInString(words)
		if !(isPart(before) && isPart(first)) && !(isPart(last) && isPart(after)) {
			return true
		}
		from = start + 1
	}
}

// matches counts the tasks that fit, and keeps the first of them.
type matches struct {
	kept  []listedTask
	count int
}

// maxKept is how many tasks a message names, or is looked through for a similar one.
const maxKept = 100

func (m *matches) add(t listedTask) {
	if m.count++; len(m.kept) < maxKept {
		m.kept = append(m.kept, t)
	}
}

// find returns the task that the call names.
func (e *taskEdit) find(ctx context.Context) (listedTask, error) {
	text := strings.TrimSpace(e.in.Text)
	if e.in.Line == 0 && text == "" {
		return listedTask{}, fault.InvalidArgument.Errorf("name the task by line, text or both")
	}
	var all, exact, loose matches
	var there *listedTask // the task on the line
	for _, line := range tasks.Lines(e.note) {
		source, _ := line.Of(e.note.Source)
		t, ok := e.read(line, source)
		if !ok {
			continue
		}
		all.add(t)
		if text == "" || t.fits(text) {
			exact.add(t)
		} else if hasWords(t.Body(), text) {
			loose.add(t)
		}
		if line.Number+1 == e.in.Line {
			there = new(t)
		}
	}
	fitting := exact
	if exact.count == 0 {
		fitting = loose
	}
	switch {
	case e.in.Line != 0:
		return e.onLine(ctx, there, text == "" || there != nil && (there.fits(text) || exact.count == 0 && hasWords(there.Body(), text)), all, fitting)
	case fitting.count == 1:
		return fitting.kept[0], nil
	case fitting.count == 0:
		return listedTask{}, e.noSuchTask(ctx, all, text)
	}
	return listedTask{}, fault.InvalidArgument.Errorf("'%s' fits %s of '%s'", cutText(text), amount.Of(fitting.count, "task"), e.name()).
		WithHint("give its line too: %s", linesOf(fitting))
}

// onLine returns the task on the line that the call names, if there is one and it agrees with the text.
func (e *taskEdit) onLine(ctx context.Context, there *listedTask, agrees bool, all, fitting matches) (listedTask, error) {
	isElsewhere := fitting.count > 0 && e.in.Text != ""
	switch {
	case there != nil && agrees:
		return *there, nil
	case there != nil || isElsewhere:
		err := fault.Conflict.Errorf("line %d of '%s' is not the task '%s'", e.in.Line, e.name(), cutText(e.in.Text))
		if isElsewhere {
			err = err.WithHint("it is on %s now", linesOf(fitting))
		} else {
			tool.AddHint(ctx, tool.HintSuggest, "Line %d has: %s", e.in.Line, cutText(there.Description))
		}
		err.Err = vault.ErrChangedSince // trying again would not help
		return listedTask{}, err
	case all.count == 0:
		return listedTask{}, fault.InvalidArgument.Errorf("line %d of '%s' is not a task", e.in.Line, e.name()).WithHint("the note has no tasks")
	}
	return listedTask{}, fault.InvalidArgument.Errorf("line %d of '%s' is not a task", e.in.Line, e.name()).WithHint("its tasks are on %s", linesOf(all))
}

// noSuchTask is the error for a text that no task has.
func (e *taskEdit) noSuchTask(ctx context.Context, all matches, text string) error {
	var names []string
	for _, t := range all.kept {
		names = append(names, t.Description)
	}
	if near := fault.Nearest(text, names); near != "" {
		didYouMean(ctx, []string{cutText(near)})
	}
	return fault.NotFound.Errorf("'%s' has no task '%s'", e.name(), cutText(text)).WithHint("find_tasks lists the tasks of a note")
}

// linesOf names the lines of tasks.
func linesOf(listed matches) string {
	const most = 10
	var numbers []string
	for _, t := range listed.kept[:min(len(listed.kept), most)] {
		numbers = append(numbers, fmt.Sprintf("%d [%s]", t.Number+1, t.Status.Symbol))
	}
	word := "lines "
	if listed.count == 1 {
		word = "line "
	}
	if listed.count > most {
		numbers = append(numbers, "…")
	}
	return word + strings.Join(numbers, ", ")
}

// toggle moves the task to its next status.
func (e *taskEdit) toggle(ctx context.Context) error {
	t, err := e.find(ctx)
	if err != nil {
		return err
	}
	if t.isPlain {
		return e.plainly(t, task.CoreToggle(t.Task.Line))
	}
	return e.changeStatus(t, t.Task, t.Status.Next)
}

// become gives the task a status of a type.
func (e *taskEdit) become(ctx context.Context, kind task.Type) error {
	t, err := e.find(ctx)
	if err != nil {
		return err
	}
	symbol, ok := t.settings.SymbolOf(kind)
	if !ok {
		return fault.InvalidArgument.Errorf("the vault's settings have no status for that").WithHint("use the action set with a status")
	}
	if t.Status.Type == kind {
		symbol = t.Status.Symbol
	}
	return e.changeStatus(t, t.Task, symbol)
}

// set gives fields of the task other values.
func (e *taskEdit) set(ctx context.Context) error {
	t, err := e.find(ctx)
	if err != nil {
		return err
	}
	if t.isPlain && e.settings.GlobalFilter != "" && len(e.fields.values) > 0 {
		return fault.InvalidArgument.Errorf("the line is not a task of this vault, because it lacks '%s'", cutText(e.settings.GlobalFilter))
	}
	symbol := t.Status.Symbol
	if e.fields.status != "" {
		found, ok := t.settings.Find(e.fields.status)
		if !ok {
			return e.noSuchStatus(t.settings)
		}
		symbol = found
	}
	settings := t.settings
	if t.isPlain && e.settings.GlobalFilter == "" {
		settings = e.settings.Settings // the line gets fields
	}
	line, err := e.fields.apply(settings, t.Task.Line)
	if err != nil {
		return err
	}
	changed, ok := e.read(t.Line, line)
	if !ok {
		return fault.InvalidArgument.Errorf("the line would not be a task any more")
	}
	return e.changeStatus(listedTask{t.Line, t.Task, changed.settings, changed.isPlain}, changed.Task, symbol)
}

// noSuchStatus is the error for a status that the settings do not have.
func (e *taskEdit) noSuchStatus(settings task.Settings) error {
	err := fault.InvalidArgument.Errorf("unknown status '%s'", e.fields.status)
	if e.ops.limited() {
		return err
	}
	var names []string
	for _, status := range settings.Statuses {
		names = append(names, fmt.Sprintf("%s (%q)", status.Name, status.Symbol))
	}
	return err.WithHint("statuses are: %s", strings.Join(names, ", "))
}

// changeStatus writes a task that may have other fields already, with another status and what comes of that.
func (e *taskEdit) changeStatus(was listedTask, now task.Task, symbol string) error {
	if was.isPlain {
		return e.plainly(was, task.SetBox(now.Line, symbol))
	}
	changed := was.settings.SetStatus(now, symbol, e.now.Date)
	if changed.Bad {
		e.say("Its recurrence '%s' cannot be read, so there is no next task.", cutText(now.Get(task.Recurrence)))
	}
	if changed.Never {
		e.say("Its recurrence '%s' has no next date, so there is no next task.", cutText(now.Get(task.Recurrence)))
	}
	for _, line := range changed.Lines {
		if _, ok := e.settings.Plain().Parse(line); !ok {
			return errNoBox
		}
	}
	e.result.Before, e.result.After = []string{was.Task.Line}, append([]string{}, changed.Lines...)
	e.result.Line = was.Number + 1
	if changed.Copy >= 0 {
		e.result.Next = &NextTask{was.Number + 1 + changed.Copy, changed.Lines[changed.Copy]}
		if changed.Copy == 0 && len(changed.Lines) > 1 {
			e.result.Line++
		}
	}
	e.replaceLine(was.At, changed.Lines)
	return nil
}

// errNoBox is why a status cannot be written.
var errNoBox = fault.InvalidArgument.Errorf("that status cannot be written in a box")

// plainly writes a line that the plugin does not know.
func (e *taskEdit) plainly(t listedTask, line string) error {
	if _, ok := e.settings.Plain().Parse(line); !ok {
		return errNoBox
	}
	e.result.Before, e.result.After, e.result.Line = []string{t.Task.Line}, []string{line}, t.Number+1
	e.replaceLine(t.At, []string{line})
	return nil
}

// create adds a task at the end of the note, a section or a lane.
func (e *taskEdit) create(ctx context.Context) error {
	text := strings.TrimSpace(e.in.Text)
	switch {
	case text == "":
		text, e.fields.description = e.fields.description, ""
	case e.fields.description != "":
		return fault.InvalidArgument.Errorf("give the new task in text or as description, not both")
	}
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return fault.InvalidArgument.Errorf("a new task needs one line of text")
	}
	if e.in.Line != 0 {
		return fault.InvalidArgument.Errorf("line is for tasks that exist").WithHint("name a section or lane for the new task")
	}
	line, err := e.newLine(text)
	if err != nil {
		return err
	}
	board, isBoard := kanban.Open(e.note)
	if !isBoard && e.in.Lane != "" {
		return fault.InvalidArgument.Errorf("'%s' is not a Kanban board", e.name()).WithHint("use section")
	}
	if isBoard {
		return e.addCard(ctx, board, line)
	}
	return e.addLine(ctx, line)
}

// newLine returns the line of a new task.
func (e *taskEdit) newLine(text string) (string, error) {
	settings := e.settings.Settings
	if e.settings.IsPlain {
		settings = settings.Plain()
	}
	symbol, _ := settings.SymbolOf(task.Todo)
	if symbol == "" {
		symbol = " "
	}
	if e.fields.status != "" {
		found, ok := settings.Find(e.fields.status)
		if !ok {
			return "", e.noSuchStatus(settings)
		}
		symbol = found
	}
	if marked, hasBox := settings.Plain().Parse(text); hasBox {
		text = marked.Body()
		if e.fields.status == "" {
			symbol = marked.Status.Symbol
		}
	}
	line := settings.New(symbol, strings.TrimPrefix(text, "- "))
	if read, _ := settings.Parse(line); settings.SetCreated && read.Get(task.Created) == "" {
		e.fields.values[task.Created] = isoDate(e.now.Date)
	}
	return e.fields.apply(settings, line)
}

// addLine adds a task to a section, or to the end of the note.
func (e *taskEdit) addLine(ctx context.Context, line string) error {
	var splices []md.Splice
	if e.in.Section == "" {
		text := line
		if strings.TrimSpace(string(e.note.Source[e.note.Body:])) == "" {
			text += "\n" // the only text of the note is a line
		}
		splices = edit.Continue(e.note, text)
	} else {
		section, err := findSection(ctx, e.note, e.name(), e.in.Section)
		if err != nil {
			return err
		}
		if splices, err = edit.AppendSection(e.note, section, line); err != nil {
			return err
		}
	}
	e.data = md.Apply(e.note.Source, splices)
	return e.added(splices[0].Start, line)
}

// added finds the task that was added, at an offset or after it.
func (e *taskEdit) added(from int, line string) error {
	after := md.Scan(e.data)
	for _, listed := range tasks.Lines(after) {
		if text, _ := listed.Of(e.data); listed.At >= from && text == line {
			e.result.Line, e.result.After = listed.Number+1, []string{line}
			return nil
		}
	}
	return fault.InvalidArgument.Errorf("in '%s', the task would not be a task", e.name()).
		WithHint("does that note end in a code block or comment that is not closed?")
}

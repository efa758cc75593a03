package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/kanban"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/query/tasks"
	"obsidian-mcp/internal/text/amount"
)

// move moves the task, with all that is nested in it, to a lane or to the end of a section.
func (e *taskEdit) move(ctx context.Context) error {
	t, err := e.find(ctx)
	if err != nil {
		return err
	}
	if e.in.Lane == "" && e.in.Section == "" {
		return fault.InvalidArgument.Errorf("name the section or lane to move the task to")
	}
	board, isBoard := kanban.Open(e.note)
	switch {
	case isBoard:
		return e.moveCard(ctx, board, t)
	case e.in.Lane != "":
		return fault.InvalidArgument.Errorf("'%s' is not a Kanban board", e.name()).WithHint("use section")
	}
	return e.moveToSection(ctx, t)
}

// moveToSection moves the lines of a task to the end of a section.
func (e *taskEdit) moveToSection(ctx context.Context, t listedTask) error {
	item := e.itemAt(t.Line)
	lines := md.Span{Start: t.At, End: item.End}
	if strings.Contains(t.Indent, ">") {
		return fault.InvalidArgument.Errorf("the task is in a quote or callout").WithHint("use replace_text")
	}
	text := strings.TrimRight(string(dedented(lines.Of(e.note.Source))), "\r\n")
	left := md.Scan(md.Apply(e.note.Source, []md.Splice{{Span: lines}}))
	section, err := findSection(ctx, left, e.name(), e.in.Section)
	if err != nil {
		return err
	}
	splices, err := edit.AppendSection(left, section, text)
	if err != nil {
		return err
	}
	e.data = md.Apply(left.Source, splices)
	e.result.Before = linesOfText(string(lines.Of(e.note.Source)))
	if err := e.added(splices[0].Start, strings.TrimLeft(t.Task.Line, " \t")); err != nil {
		return err
	}
	e.result.After = linesOfText(text)
	return nil
}

// itemAt returns the item of a line.
func (e *taskEdit) itemAt(line tasks.Line) md.Item {
	for _, item := range e.note.Items {
		if item.Line == line.Number+1 && item.IsTask() {
			return item
		}
	}
	return md.Item{Span: md.Span{Start: line.At, End: md.NextLine(e.note.Source, line.At)}}
}

func linesOfText(text string) []string {
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	return lines
}

// lane returns the lane that the call names.
func (e *taskEdit) lane(ctx context.Context, board *kanban.Board) (int, error) {
	name := e.in.Lane
	if name == "" {
		name = e.in.Section
	}
	var titles []string
	for _, lane := range board.Lanes {
		titles = append(titles, lane.Title)
	}
	if name == "" {
		didYouMean(ctx, titles)
		return 0, fault.InvalidArgument.Errorf("'%s' is a Kanban board; name a lane", e.name())
	}
	at := board.Lane(name)
	if same := slices.DeleteFunc(slices.Clone(titles), func(title string) bool { return !strings.EqualFold(title, kanban.LaneOf(name)) }); len(same) > 1 {
		return 0, fault.InvalidArgument.Errorf("'%s' has %s '%s'", e.name(), amount.Of(len(same), "lane"), name).WithHint("rename one of them first")
	}
	if at < 0 {
		didYouMean(ctx, titles)
		return 0, fault.NotFound.Errorf("'%s' has no lane '%s'", e.name(), name)
	}
	return at, nil
}

// archive is the name of a board's archive, unless a lane has it.
const archive = "Archive"

// moveCard moves a card to another lane or to the archive.
func (e *taskEdit) moveCard(ctx context.Context, board *kanban.Board, t listedTask) error {
	moved, from, card, ok := board.Card(t.Number + 1)
	if !ok {
		return fault.InvalidArgument.Errorf("line %d of '%s' is not a card of a lane", t.Number+1, e.name()).WithHint("only whole cards can be moved")
	}
	e.result.Before = linesOfText(string(moved.Of(e.note.Source)))
	if strings.EqualFold(e.in.Lane, archive) && board.Lane(archive) < 0 {
		if from == kanban.ArchiveLane {
			return e.staysPut(t)
		}
		if !board.HasArchive() {
			e.headings = 1
		}
		return e.movedCard(board.Archive(from, card, e.now, moment.English()), t, "")
	}
	to, err := e.lane(ctx, board)
	if err != nil {
		return err
	}
	if to == from {
		return e.staysPut(t)
	}
	var next string
	mark := func(line string, done bool) (string, string) {
		marked, copied := e.mark(t, line, done)
		next = copied
		return marked, copied
	}
	return e.movedCard(board.Move(from, card, to, kanban.Bottom, mark), t, next)
}

// staysPut is the result for a card that is where it shall be.
func (e *taskEdit) staysPut(t listedTask) error {
	e.data, e.result.After, e.result.Line = e.note.Source, e.result.Before, t.Number+1
	return nil
}

// mark gives a card the box of a done or an open task, as the plugins do.
func (e *taskEdit) mark(t listedTask, line string, done bool) (marked, instead string) {
	kind := task.Todo
	if done {
		kind = task.Done
	}
	read, ok := t.settings.Parse(line)
	symbol, known := t.settings.SymbolOf(kind)
	if !ok || !known || read.Status.Type == kind || !done && read.Status.Type != task.Done {
		return line, ""
	}
	if t.isPlain {
		return task.SetBox(line, symbol), ""
	}
	changed := t.settings.SetStatus(read, symbol, e.now.Date)
	if changed.Copy >= 0 {
		instead = changed.Lines[changed.Copy]
	}
	return changed.Finished, instead
}

// movedCard finds out where a card is after the change.
func (e *taskEdit) movedCard(splices []md.Splice, t listedTask, next string) error {
	e.data = md.Apply(e.note.Source, splices)
	var added md.Splice
	for _, splice := range splices {
		if len(splice.Text) > 0 && splice.Start != t.At {
			added = splice
		}
	}
	before := 0 // how far the splices before move it
	for _, splice := range splices {
		if splice.Start < added.Start {
			before += len(splice.Text) - splice.Len()
		}
	}
	first := strings.Index(string(added.Text), "[")
	if first < 0 {
		return fault.Internal.Errorf("the card of line %d was lost", t.Number+1)
	}
	start := md.LineStart(e.data, added.Start+before+first)
	after := &taskEdit{note: md.Scan(e.data)}
	for _, listed := range tasks.Lines(after.note) {
		text, _ := listed.Of(e.data)
		if listed.At == start {
			e.result.Line = listed.Number + 1
			e.result.After = linesOfText(string(e.data[listed.At:after.itemAt(listed).End]))
		}
		if next != "" && text == next && e.result.Next == nil {
			e.result.Next = &NextTask{listed.Number + 1, text}
		}
	}
	if e.result.Line == 0 {
		return fault.InvalidArgument.Errorf("in that lane the card would not be a card").WithHint("look at the board in Obsidian")
	}
	return nil
}

// addCard adds a card to a lane.
func (e *taskEdit) addCard(ctx context.Context, board *kanban.Board, line string) error {
	lane, err := e.lane(ctx, board)
	if err != nil {
		return err
	}
	settings := e.settings.Settings
	if e.settings.IsPlain {
		settings = settings.Plain()
	}
	marked := line
	mark := func(string, bool) (string, string) {
		marked, _ = e.mark(listedTask{settings: settings, isPlain: e.settings.IsPlain}, line, true)
		return marked, ""
	}
	splices := board.Add(lane, board.NewCards(), line, "\t", mark)
	e.data = md.Apply(e.note.Source, splices)
	return e.added(splices[0].Start, marked)
}

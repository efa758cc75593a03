package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/regex"
	"obsidian-mcp/internal/text/tokens"
	"obsidian-mcp/internal/tool"
)

// GatherContext are the parameters of gather_context.
type GatherContext struct {
	Question string   `json:"question" jsonschema:"in plain words" default:""`
	Budget   int      `json:"budget" jsonschema:"most tokens of the answer" default:"4000"`
	Notes    []string `json:"notes" jsonschema:"notes to look at in any case" default:"[]"`
	Depth    int      `json:"depth" jsonschema:"steps to linked notes, 0 to 2" default:"1"`
}

var gatherContext = tool.New(tool.Spec{
	Name: "gather_context", Toolset: "find", Title: "Gather context", Effect: tool.Reads,
	About: "Collects what all notes say about a question or topic within a token budget: the best passages with heading and date, then linked notes. Use find_notes to list notes.",
}, (*Ops).GatherContext)

const (
	leastBudget   = 100
	mostBudget    = 100_000
	mostGathered  = 40 // notes that passages are taken from
	mostNamed     = 50 // notes that a caller may name
	mostGatherHop = 2
)

// GatherContext collects what the vault says about a question.
func (o *Ops) GatherContext(ctx context.Context, in GatherContext) (tool.Text, error) {
	switch {
	case strings.TrimSpace(in.Question) == "" && len(in.Notes) == 0:
		return tool.Text{}, fault.InvalidArgument.Errorf("give a question, or notes")
	case in.Budget < leastBudget || in.Budget > mostBudget:
		return tool.Text{}, fault.InvalidArgument.Errorf("budget must be between %d and %d", leastBudget, mostBudget)
	case in.Depth < 0 || in.Depth > mostGatherHop:
		return tool.Text{}, fault.InvalidArgument.Errorf("depth must be 0, 1 or 2")
	case len(in.Notes) > mostNamed:
		return tool.Text{}, fault.InvalidArgument.Errorf("too many notes: %d; the limit is %d", len(in.Notes), mostNamed)
	}
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return tool.Text{}, err
	}
	g := &gathering{s: s, zone: o.clock.zone, question: readQuestion(s, in.Question), depth: in.Depth, passage: passageSize(in.Budget)}
	if err := o.seek(ctx, g, in.Notes); err != nil {
		return tool.Text{}, err
	}
	g.cut()
	g.findPromising()
	answer := newGatherText(in.Budget)
	answer.missing(g.question.unknown)
	chosen, used := g.choose(answer.room())
	if err := o.runQueries(ctx, s, chosen, answer.room()-used); err != nil {
		return tool.Text{}, err
	}
	for _, ofNote := range byNote(chosen) {
		for i, part := range ofNote {
			answer.add(part.show(i == 0))
		}
		noteGathered(ctx, s, ofNote[0].note.path)
	}
	answer.linked(func(path vpath.Path) string { return aboutNote(s, path) }, g.linked(chosen))
	answer.leftOut(g.rest(chosen))
	if len(chosen) == 0 {
		answer.add("No passage was found. Try other words, or the language of the notes.\n")
	}
	answer.end()
	return tool.Text{Meta: tool.Meta{"tokens": answer.used + lastLine, "passages": len(chosen)}, Text: answer.String()}, nil
}

// Passages are smaller if there is little room, so that several fit.
const (
	leastPassage   = 300 // bytes
	mostPassage    = 900
	passagesToFill = 10 // passages of the size that is aimed at fill the budget
)

func passageSize(budget int) int {
	return min(max(budget*tokens.Bytes/passagesToFill, leastPassage), mostPassage)
}

// seek finds the notes that passages are taken from: those that the caller names, those that the question names, then those
// that answer it best. Templates are not looked at.
func (o *Ops) seek(ctx context.Context, g *gathering, named []string) error {
	add := func(path vpath.Path) {
		if !slices.Contains(g.notes, path) {
			g.notes = append(g.notes, path)
		}
	}
	for _, name := range named {
		_, path, err := o.findNote(ctx, name)
		if err != nil {
			return err
		}
		add(path)
	}
	g.named = len(g.notes)
	for _, path := range g.question.subjects(g.s) {
		add(path)
	}
	g.subjects = len(g.notes)
	if len(g.question.telling) == 0 {
		return nil
	}
	query, err := search.Parse(strings.Join(g.question.telling, " "), search.Options{Limit: regex.NewLimit(ctx.Done(), maxSteps)})
	if err != nil {
		return err
	}
	templates := o.vault.TemplateFolders(ctx)
	meanings := o.vault.Meanings(ctx, g.s)
	results, err := g.s.Search(ctx, index.Search{Query: query, Limit: mostGathered, Meanings: meanings, Keep: func(path vpath.Path) bool {
		return path.IsNote() && !slices.ContainsFunc(templates, path.In)
	}})
	if err != nil {
		return err
	}
	if results.ModelErr != nil {
		hintWordsOnly(ctx)
	}
	for _, found := range results.Found {
		add(found.Path)
	}
	words, _ := query.Plain()
	if v, _ := meanings.Question(ctx, words); v != nil {
		g.scores, g.alike = meanings.Scores(g.notes, v), meanings.Alike()
	}
	return nil
}

// runQueries adds the results of query blocks to the passages that have some, where they fit.
func (o *Ops) runQueries(ctx context.Context, s *index.Snapshot, chosen []*part, room int) error {
	for _, part := range chosen {
		running, hints := tool.CollectHints(ctx)
		shown, err := o.withQueries(running, s, part.note.path, []byte(part.text))
		if err != nil {
			return err
		}
		more := tokens.Of(shown) - tokens.Of([]byte(part.text))
		if more == 0 || more > room {
			continue
		}
		part.text = strings.TrimRight(string(shown), "\n")
		room -= more
		for _, hint := range hints() {
			tool.AddHint(ctx, hint.Kind, "%s", hint.Text)
		}
	}
	return nil
}

// noteGathered remembers that the caller was shown a part of a note.
func noteGathered(ctx context.Context, s *index.Snapshot, path vpath.Path) {
	if s.Converted(path) {
		return // the caller has not seen the file's bytes
	}
	s.View(path, func(data []byte) { notePart(ctx, path, data) })
}

package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/text/tokens"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// PeriodicNote are the parameters of periodic_note.
type PeriodicNote struct {
	Period  string `json:"period" jsonschema:"daily, weekly, monthly, quarterly or yearly" default:"daily"`
	Date    string `json:"date" jsonschema:"today, yesterday, 2026-11-16, 2026-W47, 2026-11, 2026-Q4, 2026, last friday; +1 or -2 periods from now; a range as 2026-11-09..2026-11-15 or this week" default:"today"`
	Content bool   `json:"content" jsonschema:"with the text" default:"true"`
}

// PeriodicNotesFound is the result of periodic_note: a note, or the notes of a range.
type PeriodicNotesFound struct {
	*PeriodicNoteFound

	Notes []PeriodicNoteFound `json:"notes,omitempty"`
}

// PeriodicNoteFound is the note of a period, which may not exist.
type PeriodicNoteFound struct {
	Period   string  `json:"period"`
	Date     string  `json:"date"`
	Path     string  `json:"path"`
	Exists   bool    `json:"exists"`
	Content  *string `json:"content,omitempty"`
	Previous *string `json:"previous"`
	Next     *string `json:"next"`
}

var periodicNote = tool.New(tool.Spec{
	Name: "periodic_note", Toolset: "daily", Title: "Daily, weekly … note", Effect: tool.Reads,
	About: "Finds and reads the daily, weekly, monthly, quarterly or yearly note of a date, by the vault's own settings, also if it does not exist yet. " +
		"A range gives the notes of all its days. Use append_periodic_note to write.",
}, (*Ops).PeriodicNote)

const (
	// maxPeriods is how many notes a range may have.
	maxPeriods = 370
	// periodicTokens is about how much text of notes is returned.
	periodicTokens = 20000
)

// PeriodicNote finds the notes of a date or range.
func (o *Ops) PeriodicNote(ctx context.Context, in PeriodicNote) (PeriodicNotesFound, error) {
	diary, err := o.diary(ctx, in.Period)
	if err != nil {
		return PeriodicNotesFound{}, err
	}
	starts, err := diary.starts(in.Date)
	if err != nil {
		return PeriodicNotesFound{}, err
	}
	diary.tell(ctx)
	found := make([]PeriodicNoteFound, len(starts))
	var paths []vpath.Path
	for i, start := range starts {
		page, err := diary.page(start)
		if err != nil {
			return PeriodicNotesFound{}, err
		}
		found[i] = PeriodicNoteFound{
			Period: in.Period, Date: isoDate(start), Path: string(page.path), Exists: page.exists, Previous: diary.before(start), Next: diary.after(start),
		}
		if page.exists && in.Content {
			paths = append(paths, page.path)
		}
	}
	texts, err := o.textsOf(ctx, diary.s, paths, len(starts) == 1)
	if err != nil {
		return PeriodicNotesFound{}, err
	}
	for i := range found {
		found[i].Content = texts[vpath.Path(found[i].Path)]
	}
	if len(found) == 1 {
		return PeriodicNotesFound{PeriodicNoteFound: &found[0]}, nil
	}
	return PeriodicNotesFound{Notes: found}, nil
}

// textsOf reads notes, as much of them as fits. One that cannot be read is an error only if it is alone.
func (o *Ops) textsOf(ctx context.Context, s *index.Snapshot, paths []vpath.Path, alone bool) (map[vpath.Path]*string, error) {
	texts := map[vpath.Path]*string{}
	left := periodicTokens
	for batch := range slices.Chunk(paths, readAhead) {
		for i, read := range o.vault.ReadMany(ctx, batch, vault.MaxNote) {
			if left < minShare {
				tool.AddHint(ctx, tool.HintCut, "The text of '%s' and later notes is left out; ask for a shorter range.", batch[i])
				return texts, nil
			}
			shown, err := o.shownOf(ctx, wantedNote{name: string(batch[i]), s: s, path: batch[i], file: read.File, err: read.Err}, ReadNotes{}, left)
			switch {
			case err != nil && alone:
				return nil, err
			case err != nil:
				tool.AddHint(ctx, tool.HintSuggest, "'%s' cannot be read: %s.", batch[i], err)
				continue
			}
			left -= tokens.Of([]byte(*shown.Content))
			texts[batch[i]] = shown.Content
		}
	}
	return texts, nil
}

func isoDate(day moment.Date) string {
	return moment.English().Format(moment.Time{Date: day}, "YYYY-MM-DD")
}

// starts returns the first days of the periods that a date names.
func (d *diary) starts(date string) ([]moment.Date, error) {
	span, ok := d.settings.Span(date, d.period, d.now.Date)
	if !ok {
		return nil, fault.InvalidArgument.Errorf("'%s' is not a date", date).
			WithHint("write today, 2026-11-16, 2026-W47, 2026-11, 2026-Q4, 2026, last friday, -1, or a range as 2026-11-09..2026-11-15")
	}
	starts := d.settings.Each(d.period, span, maxPeriods+1)
	if len(starts) > maxPeriods {
		return nil, fault.InvalidArgument.Errorf("'%s' has more than %s", date, amount.Of(maxPeriods, strings.TrimSpace(string(d.period)+" note"))).
			WithHint("ask for a shorter range")
	}
	return starts, nil
}

// start returns the first day of the only period that a date names.
func (d *diary) start(date string) (moment.Date, error) {
	starts, err := d.starts(date)
	if err != nil {
		return moment.Date{}, err
	}
	if len(starts) > 1 {
		return moment.Date{}, fault.InvalidArgument.Errorf("'%s' is more than one %s note", date, d.period).WithHint("name one date")
	}
	return starts[0], nil
}

package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/periodic"
)

// diary is the series of a period's notes, as far as the caller may see it.
type diary struct {
	ops      *Ops
	s        *index.Snapshot
	layout   vault.Layout
	settings periodic.Settings
	period   periodic.Period
	now      moment.Time
	pages    []diaryPage // those that exist, by date
}

// diaryPage is the note of a period.
type diaryPage struct {
	start  moment.Date
	path   vpath.Path
	exists bool
}

// diary reads the settings of a period, and finds its notes.
func (o *Ops) diary(ctx context.Context, period string) (*diary, error) {
	known := periodic.Periods()
	if !slices.Contains(known, periodic.Period(period)) {
		return nil, fault.InvalidArgument.Errorf("unknown period '%s'", period).WithHint("periods are: daily, weekly, monthly, quarterly, yearly")
	}
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return nil, err
	}
	layout := o.vault.Layout(ctx)
	d := &diary{ops: o, s: s, layout: layout, settings: layout.Periods, period: periodic.Period(period), now: o.clock.moment()}
	date := d.settings.Dates(d.period, d.now, func(path vpath.Path, name string) string { return propertyText(s.Entry(path), name) })
	s.Files(func(path vpath.Path) bool {
		if start, ok := date(path); ok {
			d.pages = append(d.pages, diaryPage{start, path, true})
		}
		return true
	})
	order.By(d.pages, func(a, b diaryPage) int {
		return cmp.Or(cmp.Compare(a.start.Days(), b.start.Days()), cmp.Compare(a.path, b.path))
	})
	return d, nil
}

// propertyText returns the text of a property, or "".
func propertyText(entry *index.Entry, name string) string {
	if !strings.Contains(entry.Front, name) {
		return ""
	}
	value, _ := propertyOf(entry)(name)
	return value
}

// page returns the note of the period that begins on a day: the one at its path, or else one of that date elsewhere.
func (d *diary) page(start moment.Date) (diaryPage, error) {
	path, err := d.settings.Path(d.period, start)
	if err != nil {
		if d.ops.limited() {
			return diaryPage{}, d.closed()
		}
		return diaryPage{}, fault.InvalidArgument.Errorf("the settings of %s notes give no usable path: %s", d.period, err)
	}
	if !d.ops.vault.MayRead(path) {
		return diaryPage{}, d.closed()
	}
	if found, exists := d.s.Paths.Find(path); exists {
		return diaryPage{start, found, true}, nil
	}
	if at := d.at(start); at < len(d.pages) && d.pages[at].start == start {
		return d.pages[at], nil
	}
	spelled, _ := d.s.AdoptSpelling(path)
	return diaryPage{start, spelled, false}, nil
}

// closed is the error for a period whose notes the caller may not see.
func (d *diary) closed() error {
	return fault.PermissionDenied.Errorf("%s notes are closed to you", d.period)
}

// at returns the index of the first page that begins on a day or later.
func (d *diary) at(start moment.Date) int {
	at, _ := slices.BinarySearchFunc(d.pages, start.Days(), func(page diaryPage, days int) int { return cmp.Compare(page.start.Days(), days) })
	return at
}

// before returns the path of the last note before a day, or nil.
func (d *diary) before(start moment.Date) *string {
	return d.pathAt(d.at(start) - 1)
}

// after returns the path of the first note of a later period, or nil.
func (d *diary) after(start moment.Date) *string {
	return d.pathAt(d.at(start.AddDays(1)))
}

func (d *diary) pathAt(at int) *string {
	if at < 0 || at >= len(d.pages) {
		return nil
	}
	return new(string(d.pages[at].path))
}

// tell says what is unusual about the settings.
func (d *diary) tell(ctx context.Context) {
	notes := d.settings.Of(d.period)
	if !notes.Enabled {
		tool.AddHint(ctx, tool.HintSuggest, "No plugin of the vault keeps %s notes; their usual place and format are assumed.", d.period)
	}
	if unknown := moment.Unknown(notes.Format); len(unknown) > 0 && !d.ops.limited() {
		tool.AddHint(ctx, tool.HintSuggest, "Tell the user: in the format of %s notes, '%s', these letters mean nothing and stand for themselves: %s.",
			d.period, cutText(notes.Format), strings.Join(unknown, ", "))
	}
	if files := d.layout.Unreadable; len(files) > 0 && !d.ops.limited() {
		tool.AddHint(ctx, tool.HintSuggest, "Tell the user: Obsidian's settings in %s cannot be read; defaults count instead.", strings.Join(files, ", "))
	}
}

// content returns the text of a new note of the period, from its template, and says what is missing.
func (d *diary) content(ctx context.Context, page diaryPage, say func(format string, args ...any)) (string, error) {
	setting := periodic.Tidy(d.settings.Of(d.period).Template)
	if setting == "" {
		return "", nil
	}
	resolver := d.s.Paths.From("")
	path, found := resolver.Resolve(setting)
	switch {
	case !found && d.ops.limited():
		say("The note starts without a template: %s notes have none that you may read.", d.period)
		return "", nil
	case !found:
		say("Tell the user: the template of %s notes, '%s', does not exist; the note starts empty.", d.period, cutText(setting))
		return "", nil
	}
	values := d.ops.templateValues(d.layout, page.path)
	values.Period = d.settings.ForTemplate(d.period, page.start)
	text, left, err := d.ops.rendered(ctx, path, values)
	for _, warning := range templateWarnings(left) {
		say("%s.", warning)
	}
	return text, err
}

// moment returns what the user's clock shows.
func (c clock) moment() moment.Time { return c.at(c.now()) }

// at returns what the user's clock shows at a time.
func (c clock) at(then time.Time) moment.Time {
	then = then.In(c.zone)
	_, offset := then.Zone()
	return moment.Time{
		Date: moment.Date{Year: then.Year(), Month: int(then.Month()), Day: then.Day()},
		Hour: then.Hour(), Minute: then.Minute(), Second: then.Second(), Millisecond: then.Nanosecond() / 1e6, Offset: offset / 60,
	}
}

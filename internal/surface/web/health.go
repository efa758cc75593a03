package web

import (
	"fmt"

	"obsidian-mcp/internal/text/amount"
)

// healthPage shows what may need care in a vault.
type healthPage struct{ Parts []healthPart }

// healthPart is one kind of thing that may need care.
type healthPart struct {
	ID, Title string
	About     string // why it matters, or what to do
	Total     string
	Rows      []healthRow
	Problem   *problem
}

// healthRow is notes with what is to be said about them.
type healthRow struct {
	Paths   []string
	Between string // two paths
	Text    string
}

const (
	mostHealthRows = 25
	mostCounted    = 1000 // broken links
	staleDays      = 365
)

// health looks for what may need care. A part that fails says so; the others are shown.
func (v *visit) health() error {
	if !v.offers("graph_report") {
		return notOffered("the vault's health", "graph_report")
	}
	body := healthPage{}
	for _, look := range []struct {
		part healthPart
		find func(*healthPart) error
		tool string
	}{
		{healthPart{ID: "broken", Title: "Broken links", About: "Links to notes, files, headings and blocks that do not exist."}, v.brokenLinks, "find_broken_links"},
		{healthPart{ID: "orphans", Title: "Notes that nothing links to", About: "They are only found by searching."}, v.reported("orphans"), "graph_report"},
		{healthPart{ID: "mentions", Title: "Mentions without a link", About: "Notes that name another one and do not link to it."}, v.reported("mentions"), "graph_report"},
		{healthPart{ID: "duplicates", Title: "Duplicates", About: "Notes with the same or nearly the same text."}, v.reported("duplicates"), "graph_report"},
		{healthPart{ID: "stale", Title: "Not changed for a year", About: "Perhaps they are finished, perhaps forgotten."}, v.staleNotes, "find_notes"},
	} {
		if !v.offers(look.tool) {
			continue
		}
		if err := look.find(&look.part); err != nil {
			look.part.Problem = &problem{Message: err.Error()}
		}
		body.Parts = append(body.Parts, look.part)
	}
	v.show("Health", body.view)
	return nil
}

func (v *visit) brokenLinks(part *healthPart) error {
	var found struct {
		Result []struct {
			Path, Link string
			Line       int
		}
	}
	if err := v.ask("find_broken_links", map[string]any{"kind": "all", "limit": mostCounted}, &found); err != nil {
		return err
	}
	rows := found.Result
	if part.Total = amount.Of(len(rows), "link"); len(rows) == mostCounted {
		part.Total = "at least " + part.Total
	}
	for _, row := range rows[:min(mostHealthRows, len(rows))] {
		part.Rows = append(part.Rows, healthRow{Paths: []string{row.Path}, Text: fmt.Sprintf("line %d: %s", row.Line, row.Link)})
	}
	return nil
}

// reported returns a function that finds what graph_report says.
func (v *visit) reported(kind string) func(*healthPart) error {
	return func(part *healthPart) error {
		var report struct {
			Items []struct {
				Path, Text, Note string
				Line             int
				Notes            []string
				Likeness         float64
			}
			Total int
		}
		if err := v.ask("graph_report", map[string]any{"kind": kind, "limit": mostHealthRows}, &report); err != nil {
			return err
		}
		part.Total = amount.Of(report.Total, map[string]string{"orphans": "note", "mentions": "mention", "duplicates": "group"}[kind])
		for _, item := range report.Items {
			row := healthRow{Paths: append(item.Notes, item.Path)}
			switch kind {
			case "mentions":
				row = healthRow{[]string{item.Path, item.Note}, " mentions ", fmt.Sprintf("line %d: “%s”", item.Line, item.Text)}
			case "duplicates":
				row = healthRow{item.Notes, ", ", fmt.Sprintf("%.0f %% alike", 100*item.Likeness)}
			}
			part.Rows = append(part.Rows, row)
		}
		return nil
	}
}

func (v *visit) staleNotes(part *healthPart) error {
	var found struct {
		Notes []struct{ Path string }
		Total int
	}
	args := map[string]any{"until_days": staleDays, "sort_by": "modified", "limit": mostHealthRows, "include_content": false}
	if err := v.ask("find_notes", args, &found); err != nil {
		return err
	}
	part.Total = amount.Of(found.Total, "note")
	for _, note := range found.Notes {
		part.Rows = append(part.Rows, healthRow{Paths: []string{note.Path}})
	}
	return nil
}

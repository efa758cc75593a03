package web

import (
	"fmt"
	"net/http"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/amount"
)

// mostFound is how many notes a search shows.
const mostFound = 40

// searchPage is a search and its results.
type searchPage struct {
	Now     time.Time
	Query   string
	Status  string // a sentence for screen readers
	Found   []foundNote
	Problem *problem
	Preview string // the note shown beside the list
}

// foundNote is a search result.
type foundNote struct {
	Path     string   `json:"path"`
	Title    string   `json:"title"`
	Tags     []string `json:"tags"`
	Modified string   `json:"modified"`
	Snippet  string   `json:"snippet"`
	Partial  bool     `json:"partial"`

	When    time.Time `json:"-"`
	Heading []piece   `json:"-"` // the title with matches marked
	Text    []piece   `json:"-"` // the snippet with matches marked
}

// search finds notes. A script that asks while somebody types gets only the results.
func (v *visit) search() error {
	if !v.offers("find_notes") {
		return notOffered("search", "find_notes")
	}
	query := v.r.URL.Query()
	body := searchPage{Now: v.page.options.Now(), Query: query.Get("q"), Preview: query.Get("note")}
	if err := v.find(&body); err != nil {
		if kind := fault.KindOf(err); kind != fault.InvalidArgument {
			return err
		}
		v.status = http.StatusUnprocessableEntity
		body.Problem = &problem{Message: err.Error(), Hint: fault.HintOf(err)}
		body.Status = "The query cannot be read."
	}
	if v.partial() {
		v.part(body.found)
		return nil
	}
	v.show("Search", body.view)
	return nil
}

// find runs the query; an empty one lists the newest notes.
func (v *visit) find(body *searchPage) error {
	var answer struct {
		Notes []foundNote `json:"notes"`
		Total int         `json:"total"`
	}
	order := "relevance"
	if body.Query == "" {
		order = "modified"
	}
	args := map[string]any{"query": body.Query, "sort_by": order, "limit": mostFound, "include_content": false}
	if err := v.ask("find_notes", args, &answer); err != nil {
		return err
	}
	mark := marker(v.r.Context(), body.Query)
	for i := range answer.Notes {
		note := &answer.Notes[i]
		note.When, _ = time.Parse(time.RFC3339, note.Modified) // an unknown time is not shown
		note.Heading, note.Text = mark(note.Title), mark(note.Snippet)
	}
	body.Found, body.Status = answer.Notes, found(len(answer.Notes), answer.Total, body.Query)
	return nil
}

// found says how many notes were found.
func found(shown, total int, query string) string {
	switch {
	case query == "" && total == 0:
		return "There are no notes here yet."
	case query == "":
		return fmt.Sprintf("The newest of %s", amount.Number(total))
	case total == 0:
		return "Nothing was found."
	case shown < total:
		return fmt.Sprintf("%s, showing %s", amount.Of(total, "note"), amount.Number(shown))
	}
	return amount.Of(total, "note")
}

// notOffered explains why a view has nothing to show.
func notOffered(view, tool string) error {
	return fault.PermissionDenied.Errorf("%s needs the tool %s, which this login may not use", view, tool)
}

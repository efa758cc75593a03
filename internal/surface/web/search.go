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

// searchPage is a search and what it found.
type searchPage struct {
	Now     time.Time
	Query   string
	Status  string // in a sentence, for those who do not see the list
	Found   []foundNote
	Problem *problem
	Preview string // the note that is shown beside the list
}

// foundNote is a note that was found.
type foundNote struct {
	Path     string   `json:"path"`
	Title    string   `json:"title"`
	Tags     []string `json:"tags"`
	Modified string   `json:"modified"`
	Snippet  string   `json:"snippet"`
	Partial  bool     `json:"partial"`

	When    time.Time `json:"-"`
	Heading []piece   `json:"-"` // the title, with what was looked for marked
	Text    []piece   `json:"-"` // the snippet, likewise
}

// search finds notes; what was found alone for a script that asks while
// somebody types.
func (v *visit) search() error {
	if !v.offers("find_notes") {
		return notOffered("search", "find_notes")
	}
	given := v.r.URL.Query()
	body := searchPage{Now: v.page.options.Now(), Query: given.Get("q"), Preview: given.Get("note")}
	if err := v.find(&body); err != nil {
		if kind := fault.KindOf(err); kind != fault.InvalidArgument {
			return err
		}
		v.status = http.StatusUnprocessableEntity
		body.Problem = &problem{Message: err.Error(), Hint: fault.HintOf(err)}
		body.Status = "The query cannot be read."
	}
	if v.partial() {
		v.part("search", "found", body)
		return nil
	}
	v.show("search", "Search", body)
	return nil
}

// find asks for what the query means: without one, the newest notes.
func (v *visit) find(body *searchPage) error {
	var answer struct {
		Notes []foundNote `json:"notes"`
		Total int         `json:"total"`
	}
	order := "relevance"
	if body.Query == "" {
		order = "modified"
	}
	err := v.ask("find_notes", map[string]any{"query": body.Query, "sort_by": order, "limit": mostFound, "include_content": false}, &answer)
	if err != nil {
		return err
	}
	mark := marker(v.r.Context(), body.Query)
	for i := range answer.Notes {
		note := &answer.Notes[i]
		note.When, _ = time.Parse(time.RFC3339, note.Modified) // a time that is not told is not shown
		note.Heading, note.Text = mark(note.Title), mark(note.Snippet)
	}
	body.Found, body.Status = answer.Notes, found(len(answer.Notes), answer.Total, body.Query)
	return nil
}

// found says how much was found.
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

// notOffered is why a view has nothing to show.
func notOffered(view, tool string) error {
	return fault.PermissionDenied.Errorf("%s needs the tool %s, which this login may not use", view, tool)
}

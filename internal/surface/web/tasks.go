package web

import (
	"net/http"
	"net/url"
	"strconv"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/amount"
)

// mostTasks is how many tasks a page shows.
const mostTasks = 200

// taskPage is a query and the tasks that it finds.
type taskPage struct {
	Query   string
	Status  string // a sentence for screen readers
	Tasks   taskItems
	Problem *problem
}

// taskItems is a list of tasks.
type taskItems struct {
	All   []taskRow
	Total int
	Ticks bool       // the caller may tick them
	Back  url.Values // what leads back to the page that shows them
}

// taskRow is a task.
type taskRow struct {
	Path       string     `json:"path"`
	Line       int        `json:"line"`
	Symbol     string     `json:"symbol"`
	Type       string     `json:"type"`
	Text       string     `json:"text"`
	Heading    string     `json:"heading"`
	Priority   string     `json:"priority"`
	Start      string     `json:"start"`
	Scheduled  string     `json:"scheduled"`
	Due        string     `json:"due"`
	Recurrence string     `json:"recurrence"`
	BlockedBy  []struct{} `json:"blocked_by"`
}

// openTasks is the query of a visitor who has not asked for anything else.
const openTasks = "not done"

// tasks lists the tasks that a query finds.
func (v *visit) tasks() error {
	if !v.offers("find_tasks") {
		return notOffered("the list of tasks", "find_tasks")
	}
	body := taskPage{Query: v.r.URL.Query().Get("q")}
	if body.Query == "" {
		body.Query = openTasks
	}
	var err error
	body.Tasks, err = v.findTasks(map[string]any{"query": body.Query}, url.Values{"to": {"tasks"}, "q": {body.Query}})
	switch {
	case fault.KindOf(err) == fault.InvalidArgument && err != nil:
		v.status = http.StatusUnprocessableEntity
		body.Problem = &problem{Message: err.Error(), Hint: fault.HintOf(err)}
		body.Status = "The query cannot be read."
	case err != nil:
		return err
	default:
		body.Status = foundTasks(len(body.Tasks.All), body.Tasks.Total)
	}
	v.show("Tasks", body.view)
	return nil
}

func (v *visit) findTasks(args map[string]any, back url.Values) (taskItems, error) {
	var found struct {
		Tasks []taskRow `json:"tasks"`
		Total int       `json:"total"`
	}
	args["limit"] = mostTasks
	err := v.ask("find_tasks", args, &found)
	return taskItems{All: found.Tasks, Total: found.Total, Ticks: v.offers("update_task"), Back: back}, err
}

// foundTasks says how many tasks were found.
func foundTasks(shown, total int) string {
	switch {
	case total == 0:
		return "There are no such tasks."
	case shown < total:
		return amount.Of(total, "task") + ", showing " + amount.Number(shown)
	}
	return amount.Of(total, "task")
}

// tick moves a task to its next status, as a click on its box in Obsidian does, and leads back to where it was shown.
func (v *visit) tick() error {
	form := v.r.PostForm
	line, err := strconv.Atoi(form.Get("line"))
	if err != nil {
		return fault.InvalidArgument.Errorf("the line of the task is missing")
	}
	args := map[string]any{"note": form.Get("path"), "line": line, "text": form.Get("text")}
	var done struct{}
	if err := v.ask("update_task", args, &done); err != nil {
		return err
	}
	http.Redirect(v.w, v.r, v.page.options.Base+wayBack(form), http.StatusSeeOther)
	return nil
}

// wayBack returns the address of the page that a form was on. It never leads elsewhere.
func wayBack(form url.Values) string {
	if form.Get("to") == "today" {
		return "/today?" + url.Values{"date": {form.Get("date")}}.Encode()
	}
	return "/tasks?" + url.Values{"q": {form.Get("q")}}.Encode()
}

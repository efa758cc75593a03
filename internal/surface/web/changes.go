package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/text/udiff"
	"obsidian-mcp/internal/tool"
)

// The overview lists recentChanges changes, the page of changes allChanges.
const (
	recentChanges = 8
	allChanges    = 200
)

// changeRow is a change in the list.
type changeRow struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Tool    string    `json:"tool"`
	Client  string    `json:"client"`
	Notes   []string  `json:"notes"`
	Summary string    `json:"summary"`
	Undone  bool      `json:"-"`
}

func (v *visit) listChanges(most int) ([]changeRow, error) {
	if !v.offers("list_changes") {
		return nil, v.noHistory("the list of changes", "list_changes")
	}
	args, err := json.Marshal(map[string]any{"limit": most})
	if err != nil {
		return nil, err
	}
	answer, err := v.call("list_changes", args)
	if err != nil {
		return nil, err
	}
	var list struct {
		Changes []changeRow `json:"changes"`
	}
	err = json.Unmarshal(answer.JSON, &list)
	undone, _ := answer.Meta["undone"].([]string)
	for i := range list.Changes {
		list.Changes[i].Undone = slices.Contains(undone, list.Changes[i].ID)
	}
	return list.Changes, err
}

// noHistory explains why no changes are listed.
func (v *visit) noHistory(view, tool string) error {
	if v.page.options.Server.NoHistory {
		return fault.NotFound.Errorf("changes are not recorded here, so there is nothing to list or undo").
			WithHint("OBSIDIAN_MCP_HISTORY is off; set it to required to record changes")
	}
	return notOffered(view, tool)
}

func (v *visit) changes() error {
	rows, err := v.listChanges(allChanges + 1)
	if err != nil {
		return err
	}
	shown := rows[:min(len(rows), allChanges)]
	undone := v.r.URL.Query().Get("undone")
	if !slices.ContainsFunc(rows, func(row changeRow) bool { return row.ID == undone && row.Undone }) {
		undone = "" // only the link says so, and anybody may have written it
	}
	v.show("changes", "Changes", struct {
		Now     time.Time
		Changes []changeRow
		More    bool // there are older changes
		Undoes  bool
		Undone  string
	}{v.page.options.Now(), shown, len(shown) < len(rows), v.offers("undo_change"), undone})
	return nil
}

// change is the page of one change: what it did, line by line.
type change struct {
	Now     time.Time
	ID      string
	Time    time.Time
	Client  string
	Tool    string
	Lines   []diffLine
	Undoes  bool
	Undone  bool
	Problem *problem
	Confirm string // the id that confirms the undo
	Force   bool   // the undo would overwrite later changes
}

// diffLine is a line of a diff; its kind is a CSS class.
type diffLine struct{ Kind, Text string }

func (v *visit) change() error { return v.showChange(change{ID: v.r.PathValue("id")}) }

func (v *visit) showChange(shown change) error {
	if !v.offers("show_change") {
		return v.noHistory("what a change did", "show_change")
	}
	args, err := json.Marshal(map[string]string{"id": shown.ID})
	if err != nil {
		return err
	}
	answer, err := v.call("show_change", args)
	if err != nil {
		return err
	}
	meta := func(key string) string { text, _ := answer.Meta[key].(string); return text }
	shown.Undone, _ = answer.Meta["undone"].(bool)
	shown.Time, _ = time.Parse(time.RFC3339, meta("time"))
	shown.Client, shown.Tool = meta("client"), meta("tool")
	head, diff, _ := strings.Cut(answer.Text, "\n\n")
	_, summary, _ := strings.Cut(head, " by "+shown.Client+": ") // the page shows the part before it separately
	shown.Lines, shown.Undoes, shown.Now = diffLines(diff), v.offers("undo_change"), v.page.options.Now()
	v.show("change", sentence(summary), shown)
	return nil
}

// undo undoes a change. If something prevents that, the page says what, and how to proceed.
func (v *visit) undo() error {
	id := v.r.PathValue("id")
	force := v.r.PostFormValue("force") == "true"
	args, err := json.Marshal(map[string]any{"id": id, "confirm": v.r.PostFormValue("confirm"), "force": force})
	if err != nil {
		return err
	}
	_, err = v.call("undo_change", args)
	if err == nil {
		http.Redirect(v.w, v.r, v.page.options.Base+"/changes?"+url.Values{"undone": {id}}.Encode(), http.StatusSeeOther)
		return nil
	}
	shown := change{ID: id}
	if needs, ok := errors.AsType[*tool.NeedsConfirm](err); ok {
		shown.Problem = &problem{Message: "This changes " + amount.Of(needs.Notes, "note") + "."}
		shown.Confirm, shown.Force = needs.ID, force
	} else if shown.Force = errors.Is(err, fault.Conflict); shown.Force {
		shown.Problem = &problem{
			Message: "What this change left has been changed again since.",
			Hint: "Undoing it anyway restores what was there before this change. " +
				"What is there now is recorded first, so you can undo the undo.",
			Details: err.Error(),
		}
	} else {
		return err
	}
	v.status = statusOf(fault.KindOf(err))
	return v.showChange(shown)
}

// undoAgain shows a change whose undo form was refused.
func (v *visit) undoAgain(why problem) error {
	why.Hint = "nothing was undone; press the button on this page"
	return v.showChange(change{ID: v.r.PathValue("id"), Problem: &why})
}

// diffClasses maps kinds of lines to CSS classes.
var diffClasses = map[udiff.Kind]string{
	udiff.Same: "same", udiff.Added: "added", udiff.Removed: "removed", udiff.Header: "where", udiff.Hunk: "where",
}

func diffLines(text string) []diffLine {
	var lines []diffLine
	for _, line := range udiff.Lines(text) {
		lines = append(lines, diffLine{diffClasses[line.Kind], line.Text})
	}
	return lines
}

package web

import (
	"net/http"
	"net/url"
)

// todayPage is the daily note of a day, with the tasks that are open on it.
type todayPage struct {
	Day      string // as the caller asked for it
	Date     string
	Path     string
	Exists   bool
	Previous *string
	Next     *string
	Note     notePage
	Writes   bool
	Here     taskItems // open tasks in the note
	Due      taskItems // tasks that should be done by then
}

// today shows the daily note of today, or of another day.
func (v *visit) today() error {
	if !v.offers("periodic_note") {
		return notOffered("the daily note", "periodic_note")
	}
	body := todayPage{Day: v.r.URL.Query().Get("date"), Writes: v.offers("append_periodic_note")}
	if body.Day == "" {
		body.Day = "today"
	}
	if err := v.ask("periodic_note", map[string]any{"date": body.Day, "content": false}, &body); err != nil {
		return err
	}
	if body.Exists {
		note, err := v.lookUp(body.Path)
		if err != nil {
			return err
		}
		body.Note = note
	}
	if err := v.addTasks(&body); err != nil {
		return err
	}
	title := "Today"
	if body.Day != "today" {
		title = body.Date
	}
	v.show(title, body.view)
	return nil
}

// addTasks finds the tasks of the day.
func (v *visit) addTasks(to *todayPage) (err error) {
	if !v.offers("find_tasks") {
		return nil
	}
	back := url.Values{"to": {"today"}, "date": {to.Day}}
	if to.Exists {
		if to.Here, err = v.findTasks(map[string]any{"query": openTasks + "\nsort by path", "note": to.Path}, back); err != nil {
			return err
		}
	}
	due := openTasks + "\nhappens on or before " + to.Date + "\npath does not include " + to.Path
	to.Due, err = v.findTasks(map[string]any{"query": due}, back)
	return err
}

// addToday adds a line to the daily note, which is made if it does not exist.
func (v *visit) addToday() error {
	form := v.r.PostForm
	var added struct{}
	args := map[string]any{"date": form.Get("date"), "text": form.Get("text")}
	if err := v.ask("append_periodic_note", args, &added); err != nil {
		return err
	}
	http.Redirect(v.w, v.r, v.page.options.Base+"/today?"+url.Values{"date": {form.Get("date")}}.Encode(), http.StatusSeeOther)
	return nil
}

package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

var taskNotes = map[string]string{
	"House.md":      "# House\n\n- [ ] Mend <b>the</b> gate 📅 2020-01-02\n- [/] Paint ⏫\n- [x] Call\n",
	"Plans/Shed.md": "- [ ] Wood\n",
}

// Tasks are listed with boxes that tick them, and the visitor comes back to the same list.
func TestTasks(t *testing.T) {
	s := openVault(t, taskNotes)
	list := s.get("/tasks")
	list.expect(t, http.StatusOK, "3 tasks", "Mend &lt;b&gt;the&lt;/b&gt; gate", `role="checkbox"`, `aria-checked="false"`, `aria-checked="mixed"`, "due 2020-01-02", "House.md › House")
	list.lacks(t, "<b>the</b>", "Call")
	s.get("/tasks?q=done").expect(t, http.StatusOK, "1 task", `aria-checked="true"`)
	s.get("/tasks?q=overdue").expect(t, http.StatusUnprocessableEntity, "not an instruction", "The query cannot be read.")
	s.get("/tasks?q=priority+is+low").expect(t, http.StatusOK, "There are no such tasks.")
	ticked := s.post("/tasks/tick", url.Values{"path": {"House.md"}, "line": {"3"}, "text": {"Mend <b>the</b> gate"}, "to": {"tasks"}, "q": {"not done; path includes House"}})
	if to := ticked.Header.Get("Location"); ticked.StatusCode != http.StatusSeeOther || to != "/tasks?q=not+done%3B+path+includes+House" {
		t.Errorf("%d %s", ticked.StatusCode, to)
	}
	if text := s.store.Files()["House.md"]; !strings.Contains(text, "- [x] Mend <b>the</b> gate 📅 2020-01-02 ✅ ") {
		t.Errorf("%q", text)
	}
	s.post("/tasks/tick", url.Values{"path": {"House.md"}, "line": {"4"}, "text": {"Mend"}}).expect(t, http.StatusConflict, "is not the task")
	s.post("/tasks/tick", url.Values{"path": {"House.md"}}).expect(t, http.StatusUnprocessableEntity, "line of the task")
	if to := wayBack(url.Values{"to": {"https://evil.example"}, "q": {"//evil.example"}}); !strings.HasPrefix(to, "/tasks?q=") {
		t.Errorf("a form leads to %s", to)
	}
}

// Today's note is shown, made and added to, with the tasks that are due.
func TestToday(t *testing.T) {
	s := openVault(t, taskNotes)
	s.get("/today?date=2020-01-02").expect(t, http.StatusOK, "There is no note for this day yet. It would be 2020-01-02.md.", "Create the note", "Due by then", "Mend")
	made := s.post("/today", url.Values{"date": {"2020-01-02"}, "text": {"- [ ] rest"}})
	if to := made.Header.Get("Location"); made.StatusCode != http.StatusSeeOther || to != "/today?date=2020-01-02" {
		t.Errorf("%d %s", made.StatusCode, to)
	}
	s.get("/today?date=2020-01-02").expect(t, http.StatusOK, "Add to the note", "Open tasks in this note", "rest", `value="today"`)
	s.post("/today", url.Values{"date": {"2020-01-02"}, "text": {"slept"}})
	if text := s.store.Files()["2020-01-02.md"]; text != "- [ ] rest\n\nslept\n" {
		t.Errorf("%q", text)
	}
	s.get("/today?date=2020-01-03").expect(t, http.StatusOK, `href="/note?path=2020-01-02.md"`)
	s.get("/today?date=someday").expect(t, http.StatusUnprocessableEntity, "is not a date")
	s.get("/today").expect(t, http.StatusOK, "<h1>Today</h1>")
}

// Callers with limits see only their own tasks, and those who may not write have no buttons.
func TestTasksOfLimitedCallers(t *testing.T) {
	text, limited := token(t, "phone", plansOnly(t))
	s := openVault(t, taskNotes, limited)
	s.logIn(text, "/tasks")
	list := s.get("/tasks")
	list.expect(t, http.StatusOK, "1 task", "Wood", `aria-disabled="true"`)
	list.lacks(t, "Mend", "House", "/tasks/tick")
	s.get("/today").expect(t, http.StatusForbidden, "closed to you")
	s.post("/tasks/tick", url.Values{"path": {"House.md"}, "line": {"3"}, "text": {"Mend"}}).expect(t, http.StatusUnprocessableEntity, "unknown tool")
}

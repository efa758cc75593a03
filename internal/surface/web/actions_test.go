package web

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/tool"
)

// Each tool has a form with a field for each parameter, and fields left as they are give the tool its own defaults.
func TestFormForEveryTool(t *testing.T) {
	s := open(t)
	list := s.get("/tools")
	for _, called := range tool.Bind[*ops.Ops](nil, ops.All()) {
		if called.Needs != tool.NeedsNothing {
			continue // this server has nothing but a vault
		}
		list.expect(t, http.StatusOK, `href="/tools/`+called.Name+`"`)
		form := s.get("/tools/" + called.Name)
		form.expect(t, http.StatusOK, html.EscapeString(called.Title))
		for _, param := range called.Params {
			if param.Hidden {
				continue
			}
			form.expect(t, http.StatusOK, `name="`+param.Name+`"`, html.EscapeString(param.About))
		}
		filled := url.Values{}
		for _, field := range fieldsOf(called, nil) {
			filled.Set(field.Name, field.Value)
			if field.Kind == "truth" && field.Truth {
				filled.Set(field.Name, "true")
			}
		}
		args, err := arguments(called, filled)
		if err != nil {
			t.Fatal(err)
		}
		var sent map[string]json.RawMessage
		if err := json.Unmarshal(args, &sent); err != nil {
			t.Fatal(err)
		}
		for _, param := range called.Params {
			value, has := sent[param.Name]
			isDefault := string(value) == param.Default || string(value) == fmt.Sprintf("%q", param.Default)
			if has && !param.Required && !isDefault {
				t.Errorf("%s: an untouched form sends %s as %s, want the default %q", called.Name, value, param.Name, param.Default)
			}
		}
	}
	s.get("/tools/read_nte").expect(t, http.StatusNotFound, "did you mean", "read_note")
}

// The tool gets what people type.
func TestFormArguments(t *testing.T) {
	s := open(t)
	all, err := s.page.options.Server.Tools(anybody)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, form, want string }{
		{"read_note", "name=Garden&start_line=2", `{"embeds":false,"name":"Garden","start_line":2}`},
		{"read_note", "name=007&start_line=", `{"embeds":false,"name":"007"}`},
		{"append_note", "name=Garden&text=a%0D%0Ab%0D%0A", `{"name":"Garden","text":"a\nb\n"}`},
		{"find_notes", "query=x&tags=a%0D%0A%0D%0A+b+&properties={\"a\":1}&include_content=&exists_only=true", `{"exists_only":true,"properties":{"a":1},"query":"x","tags":["a","b"]}`},
		{"find_notes", "include_content=false", `{"exists_only":false,"include_content":"false"}`},
		{"find_notes", "limit=many&properties=[", `{"exists_only":false,"limit":"many","properties":"["}`},
		{"update_note", "name=Garden&content=", `{"content":"","name":"Garden"}`},
		{"create_note", "name=Garden&content=%0D%0A+%0D%0A&frontmatter=", `{"content":"\n \n","name":"Garden","overwrite":false}`},
		{"set_frontmatter", "name=Garden&key=status&value=&expected_hash=+", `{"key":"status","name":"Garden","value":""}`},
		{"read_note", "name=Garden&else=1", `{"embeds":false,"name":"Garden"}`},
	} {
		called, err := all.Find(c.tool)
		if err != nil {
			t.Fatal(err)
		}
		form, err := url.ParseQuery(c.form)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := arguments(called, form); err != nil || strings.TrimSpace(string(got)) != c.want {
			t.Errorf("%s %s: %s %v, want %s", c.tool, c.form, got, err, c.want)
		}
	}
}

// A tool runs, its answer and the request can be copied, and errors are shown with what to do.
func TestRunTool(t *testing.T) {
	s := open(t)
	got := s.post("/tools/list_notes", url.Values{"limit": {"1"}})
	got.expect(t, http.StatusOK, "Copy result", "&#34;method&#34;: &#34;tools/call&#34;", "&#34;limit&#34;: 1")
	part := s.post("/tools/list_notes", nil, "HX-Request: true")
	part.expect(t, http.StatusOK, "Result")
	part.lacks(t, "<html")
	s.post("/tools/append_note", url.Values{"name": {"Garden"}, "text": {"<i>from the page</i>"}}).expect(t, http.StatusOK, "&#34;hash&#34;")
	if text := s.store.Files()["Garden.md"]; !strings.HasSuffix(text, "<i>from the page</i>\n") {
		t.Errorf("the note is %q", text)
	}
	read := s.post("/tools/read_note", url.Values{"name": {"Garden"}})
	read.expect(t, http.StatusOK, "&lt;i&gt;from the page")
	read.lacks(t, "<i>from")
	s.post("/tools/read_note", url.Values{"name": {"Gardn"}}).expect(t, http.StatusNotFound, "NOT_FOUND", "Note &#39;Gardn&#39; not found")
	s.post("/tools/find_notes", url.Values{"limit": {"many"}}).expect(t, http.StatusUnprocessableEntity, "must be a whole number", `value="many"`)
	want := []string{"list_notes ok", "list_notes ok", "append_note ok", "read_note ok", "read_note NOT_FOUND", "find_notes INVALID_ARGUMENT"}
	if fmt.Sprint(s.calls) != fmt.Sprint(want) {
		t.Errorf("observed calls %v, want %v", s.calls, want)
	}
}

// A call that changes many notes has to be confirmed.
func TestConfirmManyNotes(t *testing.T) {
	s := open(t)
	s.over = 1
	rename := url.Values{"old_name": {"Garden"}, "new_name": {"Orchard"}}
	refused := s.post("/tools/rename_note", rename)
	refused.expect(t, http.StatusUnprocessableEntity, "This changes 3 notes", "Yes, go on")
	id := regexp.MustCompile(`name="confirm" value="([^"]+)">Yes`).FindStringSubmatch(refused.body)
	rename["confirm"] = []string{"", id[1]} // the field's and the button's
	s.post("/tools/rename_note", rename).expect(t, http.StatusOK, "Orchard")
	change := s.lastChange()
	asked := s.post("/changes/"+change+"/undo", nil)
	asked.expect(t, http.StatusUnprocessableEntity, "This changes", "Yes, undo it")
	id = regexp.MustCompile(`name="confirm" value="([^"]+)"`).FindStringSubmatch(asked.body)
	s.post("/changes/"+change+"/undo", url.Values{"confirm": {id[1]}}).expect(t, http.StatusSeeOther)
	if got := s.store.Files(); got["Garden.md"] != notes["Garden.md"] || got["Home.md"] != notes["Home.md"] {
		t.Errorf("%v", got)
	}
}

var changeLink = regexp.MustCompile(`href="/changes/([^"]+)"`)

// lastChange returns the newest change on the overview.
func (s *site) lastChange() string {
	s.t.Helper()
	found := changeLink.FindStringSubmatch(s.get("/").body)
	if found == nil {
		s.t.Fatal("the overview lists no change")
	}
	return found[1]
}

// Changes are listed with their author, shown line by line, and undone; over a later edit only by force.
func TestUndo(t *testing.T) {
	s := open(t)
	s.get("/").expect(t, http.StatusOK, "Nothing has changed yet")
	s.post("/tools/replace_text", url.Values{"name": {"Garden"}, "old_text": {"Tomatoes"}, "new_text": {"<b>Beans</b>"}}).expect(t, http.StatusOK)
	id := s.lastChange()
	s.get("/").expect(t, http.StatusOK, "web page", "replace_text", `action="/changes/`+id+`/undo"`)
	diff := s.get("/changes/" + id)
	diff.expect(t, http.StatusOK, "<h1>Changed Garden (", " · replace_text · <code>"+id, `class="removed">-Tomatoes`, `class="added">+&lt;b&gt;Beans`)
	done := s.post("/changes/"+id+"/undo", nil)
	done.expect(t, http.StatusSeeOther)
	list := s.get(done.Header.Get("Location"))
	list.expect(t, http.StatusOK, "was undone", id, "undid: changed Garden", `<span class="tag">undone</span>`)
	list.lacks(t, `action="/changes/`+id+`/undo"`)
	undone := s.get("/changes/" + id)
	undone.expect(t, http.StatusOK, "This change was undone")
	undone.lacks(t, "<form method")
	s.get("/changes/"+s.lastChange()).expect(t, http.StatusOK, "Undo this change")
	if got := s.store.Files()["Garden.md"]; got != notes["Garden.md"] {
		t.Errorf("%q", got)
	}
	s.post("/tools/append_note", url.Values{"name": {"Garden"}, "text": {"one"}}).expect(t, http.StatusOK)
	id = s.lastChange()
	s.post("/tools/append_note", url.Values{"name": {"Garden"}, "text": {"two"}}).expect(t, http.StatusOK)
	conflict := s.post("/changes/"+id+"/undo", nil)
	conflict.expect(t, http.StatusConflict, "has been changed again since", "&#39;Garden&#39; had the hash", "anyway", `name="force" value="true"`)
	s.post("/changes/"+id+"/undo", url.Values{"force": {"true"}}).expect(t, http.StatusSeeOther)
	if got := s.store.Files()["Garden.md"]; got != notes["Garden.md"] {
		t.Errorf("%q", got)
	}
	s.get("/changes?undone=made-up").lacks(t, "made-up", "was undone")
	s.get("/changes/made-up").expect(t, http.StatusNotFound)
	s.post("/changes/made-up/undo", nil).expect(t, http.StatusNotFound)
}

var sessionLink = regexp.MustCompile(`href="(/changes\?session=([0-9a-f]+))"`)

// Several changes can be chosen and undone as one, and so can all of a session; over later edits only by force.
func TestUndoSeveral(t *testing.T) {
	s := open(t)
	appended := func(name, text string) (id string) {
		t.Helper()
		s.post("/tools/append_note", url.Values{"name": {name}, "text": {text}}).expect(t, http.StatusOK)
		return s.lastChange()
	}
	isRestored := func(when string) {
		t.Helper()
		for _, name := range []string{"Garden.md", "Home.md"} {
			if got := s.store.Files()[name]; got != notes[name] {
				t.Errorf("%s: %s is %q", when, name, got)
			}
		}
	}
	garden, home := appended("Garden", "one"), appended("Home", "two")
	list := s.get("/changes")
	for _, id := range []string{garden, home} {
		list.expect(t, http.StatusOK, `<input type="checkbox" name="id" value="`+id+`" form="several" aria-label="Choose: changed `)
	}
	list.expect(t, http.StatusOK, `<form method="post" action="/changes/undo" id="several">`, "Undo the chosen changes")
	s.get("/").lacks(t, "checkbox")
	done := s.post("/changes/undo", url.Values{"id": {garden, home}})
	done.expect(t, http.StatusSeeOther)
	isRestored("chosen")
	list = s.get(done.Header.Get("Location"))
	list.expect(t, http.StatusOK, "Several changes were undone, the newest of them", home, "undid 2 changes")
	list.lacks(t, `value="`+garden+`"`)
	s.post("/changes/undo", url.Values{"id": {garden, home}}).expect(t, http.StatusOK, "There is nothing to undo")
	s.post("/changes/undo", nil).expect(t, http.StatusUnprocessableEntity, "no change was chosen")
	s.post("/changes/undo", url.Values{"id": {garden, "made-up"}}).expect(t, http.StatusNotFound)

	garden, home = appended("Garden", "three"), appended("Home", "four")
	found := sessionLink.FindStringSubmatch(s.get("/changes/" + home).body)
	if found == nil {
		t.Fatal("the change has no session")
	}
	s.get(found[1]).expect(t, http.StatusOK, "<h1>Changes of a session", "Undo the whole session", home, garden)
	s.get("/changes?session=none").lacks(t, "Undo the", home)
	s.over = 1
	asked := s.post("/changes/undo", url.Values{"session": {found[2]}})
	asked.expect(t, http.StatusUnprocessableEntity, "This changes 2 notes", "Yes, undo them", `name="session" value="`+found[2]+`"`, home)
	id := regexp.MustCompile(`name="confirm" value="([^"]+)"`).FindStringSubmatch(asked.body)
	s.post("/changes/undo", url.Values{"session": {found[2]}, "confirm": {id[1]}}).expect(t, http.StatusSeeOther)
	isRestored("the session")
	s.over = 0

	garden, home = appended("Garden", "five"), appended("Home", "six")
	appended("Garden", "seven")
	conflict := s.post("/changes/undo", url.Values{"id": {garden, home}})
	conflict.expect(t, http.StatusConflict, "has been changed again since", "&#39;Garden&#39; had the hash", "Undo them anyway",
		`name="force" value="true"`, `name="id" value="`+garden+`"`, `name="id" value="`+home+`"`)
	s.post("/changes/undo", url.Values{"id": {garden, home}, "force": {"true"}}).expect(t, http.StatusSeeOther)
	isRestored("by force")

	garden = appended("Garden", "eight")
	again := s.send(http.MethodPost, "/changes/undo", url.Values{"id": {garden}, "form": {"from an earlier server"}})
	again.expect(t, http.StatusForbidden, "nothing was undone", `name="id" value="`+garden+`"`, "Undo these changes")
}

// The page says if there are older changes than it lists.
func TestSaysThereAreOlderChanges(t *testing.T) {
	s := open(t)
	tools, count := s.page.options.Server.Tools, 0
	s.page.options.Server.Tools = func(who *auth.Principal) (*tool.Registry, error) {
		all, err := tools(who)
		return all.Around(func(called tool.Tool, next tool.Handler) tool.Handler {
			return func(ctx context.Context, args json.RawMessage) (tool.Answer, error) {
				if called.Name != "list_changes" {
					return next(ctx, args)
				}
				var asked struct{ Limit int }
				if err := json.Unmarshal(args, &asked); err != nil {
					return tool.Answer{}, err
				}
				rows := []changeRow{}
				for i := range min(count, asked.Limit) {
					rows = append(rows, changeRow{ID: fmt.Sprintf("change-%d-", i), Summary: "x"})
				}
				answer, err := json.Marshal(map[string]any{"changes": rows})
				return tool.Answer{JSON: answer}, err
			}
		}), err
	}
	const older = "These are the newest 200."
	count = allChanges
	s.get("/changes").lacks(t, older)
	count++
	got := s.get("/changes")
	got.expect(t, http.StatusOK, older, `href="/tools/list_changes?limit=1000"`, "change-199-")
	got.lacks(t, "change-200-")
}

// Browsers drop a line break directly after a tag, so the page adds one.
func TestKeepsLeadingLineBreaks(t *testing.T) {
	s := open(t)
	s.post("/tools/create_note", url.Values{"name": {"Breaks"}, "content": {"\n\nlater"}}).expect(t, http.StatusOK)
	s.post("/tools/read_note", url.Values{"name": {"Breaks"}}).expect(t, http.StatusOK, ">\n\n\nlater</pre>")
	s.post("/tools/create_note", url.Values{"name": {"Breaks"}, "content": {"\n\nagain"}}).expect(t, http.StatusConflict, ">\n\n\nagain</textarea>")
}

// Refreshing an open overview reports new changes, but lists them only on request.
func TestRefreshOverview(t *testing.T) {
	s := open(t)
	s.get("/now").expect(t, http.StatusSeeOther)
	s.get("/recent").expect(t, http.StatusSeeOther)
	same := s.get("/now?seen=ready+2+changes", "HX-Request: true")
	same.expect(t, http.StatusOK, "Vault", `value="ready 2 changes"`)
	same.lacks(t, "Recent changes", "<html")
	if same.Header.Get("HX-Trigger") != "" {
		t.Error("reports new changes, but nothing has changed")
	}
	if other := s.get("/now?seen=ready+1+change", "HX-Request: true"); other.Header.Get("HX-Trigger") != "history-changed" {
		t.Error("does not report a change")
	}
	s.post("/tools/append_note", url.Values{"name": {"Garden"}, "text": {"x"}}).expect(t, http.StatusOK)
	recent := s.get("/recent", "HX-Request: true")
	recent.expect(t, http.StatusOK, "append_note", "Undo")
	recent.lacks(t, "<html")
}

// The test gets the form's values unchanged, and secrets are not shown again.
func TestLiveSyncForm(t *testing.T) {
	s := open(t)
	form := url.Values{"url": {"https://couch.example"}, "database": {"notes"}, "user": {"me"}, "password": {"pass-canary"}, "passphrase": {"phrase-canary"}}
	for _, headers := range [][]string{nil, {"HX-Request: true"}} {
		got := s.post("/livesync", form, headers...)
		got.expect(t, http.StatusOK, "server: answers", "see COUCHDB_USER", `class="mark failed"`)
		got.lacks(t, "canary")
	}
	want := Database{URL: "https://couch.example", Name: "notes", User: "me", Password: "pass-canary", Passphrase: "phrase-canary"}
	if len(s.tested) != 2 || s.tested[0] != want {
		t.Errorf("%+v", s.tested)
	}
	link := url.Values{"link": {" obsidian://link-canary\n"}, "link_passphrase": {" phrase-canary "}}
	got := s.post("/livesync", link)
	got.expect(t, http.StatusOK, "server: answers")
	got.lacks(t, "canary")
	if want := (Database{Link: "obsidian://link-canary", LinkPassphrase: " phrase-canary "}); len(s.tested) != 3 || s.tested[2] != want {
		t.Errorf("%+v", s.tested)
	}
	for _, empty := range []url.Values{nil, {"url": {"https://couch.example"}}, {"database": {"notes"}}, {"link": {" "}}} {
		s.post("/livesync", empty).expect(t, http.StatusOK, "nothing to test; enter a setup link, or the address", `class="mark failed"`)
	}
	if len(s.tested) != 3 {
		t.Error("nothing was tested as something")
	}
}

// Only one test runs at a time, since another server's answers may be large.
func TestOneLiveSyncTestAtATime(t *testing.T) {
	s := open(t)
	s.page.testing.Lock()
	s.post("/livesync", url.Values{"url": {"http://x"}, "database": {"x"}}).expect(t, http.StatusTooManyRequests, "another test is running")
	s.page.testing.Unlock()
}

// The blocks to paste are shown unchanged.
func TestConnect(t *testing.T) {
	open(t).get("/connect").expect(t, http.StatusOK, "Claude Code", "claude mcp add &lt;obsidian&gt;", `data-copy="#claude-code-remote"`, "Start it again.")
}

// The page lists who has access, without any token.
func TestAccess(t *testing.T) {
	open(t).get("/access").expect(t, http.StatusOK, "No login is needed here", "phone", "<code>Plans/</code>")
	secret, owner := token(t, "owner", fullGrant)
	s := open(t, owner)
	tools := s.page.options.Server.Tools
	s.page.options.Server.Tools = func(who *auth.Principal) (*tool.Registry, error) { // as on a read-only server
		all, err := tools(who)
		return all.Only(func(t tool.Tool) bool { return t.Effect == tool.Reads }), err
	}
	s.logIn(secret, "/").expect(t, http.StatusSeeOther)
	s.get("/access").expect(t, http.StatusOK, "You have no limits of your own, but this server is read-only")
}

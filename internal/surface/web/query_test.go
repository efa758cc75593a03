package web

import (
	"net/http"
	"net/url"
	"testing"
)

var queryNotes = map[string]string{
	"Projects/Boat.md": "---\nstatus: active\nparts: [\"[[Sail]]\", <b>keel</b>, <i>x]\n---\n#project\n",
	"Projects/Shed.md": "---\nstatus: done\n---\n#project\n",
	"Sail.md":          "",
	"Work.base":        "filters: file.hasTag(\"project\")\nviews:\n  - type: table\n    order: [status]\n    groupBy: {property: status, direction: ASC}\n",
	"Broken.base":      "filters: nope(1)\n",
	"Dashboard.md":     "Before\n\n```dataview\nTABLE status, parts FROM #project\n```\n\nBetween\n\n```dataview\nLISTT\n```\n\n```js\nlet x\n```\n",
	"Quoting.md":       "> [!query] mine\n> <ul>\n\n```dataview\nLIST FROM #project\n```\n",
}

// The query blocks of a note are shown with their results, whose links lead to the notes that were found.
func TestQueryBlocks(t *testing.T) {
	s := openVault(t, queryNotes)
	page := s.get("/note?path=Dashboard.md")
	page.expect(t, http.StatusOK, "2 results", `<a href="/note?path=Projects%2FBoat.md">Boat</a>`, "<td>active</td>", "<summary>Query</summary>",
		`<li><a href="/note?path=Sail.md">`, "<li><b>keel</b></li>", "Between", "LISTT", "let x")
	page.lacks(t, "<i>", "missing")
	own := s.get("/note?path=Quoting.md")
	own.expect(t, http.StatusOK, "mine", "2 results", `class="callout`, "&lt;ul&gt;")
}

// A base is shown with its rows, and its source.
func TestBasePage(t *testing.T) {
	s := openVault(t, queryNotes)
	s.get("/note?path=Work.base").expect(t, http.StatusOK, "active", `<a href="/note?path=Projects%2FShed.md">Shed</a>`, "Source", "groupBy")
	s.get("/note?path=Broken.base").expect(t, http.StatusOK, "no function is named &#34;nope&#34;", "filters: nope(1)")
}

// A query can be tried. What is wrong with it is said beside it.
func TestQueryPage(t *testing.T) {
	s := openVault(t, queryNotes)
	try := func(text string) pageResponse { return s.get("/query?" + url.Values{"q": {text}}.Encode()) }
	s.get("/query").expect(t, http.StatusOK, "<h1>Query</h1>", "<textarea")
	try(`TABLE status FROM "Projects" SORT file.name`).expect(t, http.StatusOK, "2 results", "<td>done</td>", `TABLE status FROM &#34;Projects&#34;`)
	try("= 1 + 2").expect(t, http.StatusOK, "1 result", "<p>3</p>")
	try("Work.base").expect(t, http.StatusOK, "2 results")
	try("Dashboard#1").expect(t, http.StatusOK, "2 results")
	try("filters: status == \"active\"\n").expect(t, http.StatusOK, "1 result", "Boat")
	try("LIST WHERE number(status) > 1 OR file.name = \"Sail\"").expect(t, http.StatusOK, "1 result")
	try("TABEL status FROM #project").expect(t, http.StatusUnprocessableEntity, "cannot be run", "TABEL status")
	try("Nothing.base").expect(t, http.StatusUnprocessableEntity, "no base is named")
	try("<script>").expect(t, http.StatusUnprocessableEntity, "&lt;script&gt;")
	hostile := try(`TABLE WITHOUT ID "</table><script>x</script><ul>" AS a`)
	hostile.expect(t, http.StatusOK)
	hostile.lacks(t, "<script>x", "</table></td>")
}

// Limited callers see only what they may read.
func TestQueriesOfLimitedCallers(t *testing.T) {
	text, limited := token(t, "phone", plansOnly(t))
	s := openVault(t, map[string]string{"House.md": "#a", "Plans/Shed.md": "#a\n\n```dataview\nLIST FROM #a\n```\n"}, limited)
	s.logIn(text, "/query")
	list := s.get("/query?q=LIST+FROM+%23a")
	list.expect(t, http.StatusOK, "1 result", "Shed")
	list.lacks(t, "House")
	s.get("/note?path=Plans/Shed.md").expect(t, http.StatusOK, "1 result")
}

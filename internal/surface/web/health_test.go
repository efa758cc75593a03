package web

import (
	"net/http"
	"testing"
)

var healthNotes = map[string]string{
	"Garden.md":         "About [[Compost]] and [[Nowhere]].",
	"Compost.md":        "It is warm.",
	"Diary.md":          "The Compost steams, says <b>nobody</b>.",
	"Copies/First.md":   "Four words and many more that are the same in both of them.",
	"Copies/Second.md":  "Four words and many more that are the same in both of them.",
	"<script>x.md":      "",
	"Private/Secret.md": "About [[Lost]] and the Compost.",
}

// The page lists what may need care, with links to the notes.
func TestHealthPage(t *testing.T) {
	s := openVault(t, healthNotes)
	page := s.get("/health")
	page.expect(t, http.StatusOK, "<h1>Health</h1>", "Broken links", "2 links", "line 1: [[Nowhere]]",
		"Notes that nothing links to", `<a href="/note?path=Diary.md"`, "Mentions without a link", "“Compost”",
		"Duplicates", "1 group", "100 % alike", `<a href="/note?path=Copies%2FSecond.md"`, "Not changed for a year", "&lt;script&gt;x.md")
	page.lacks(t, "<script>x")
}

// Limited callers see only the notes that they may read; without the tool, there is no such page.
func TestHealthOfLimitedCallers(t *testing.T) {
	text, limited := token(t, "phone", plansOnly(t))
	notes := map[string]string{"Plans/Shed.md": "Near the Wharf.", "Plans/Wharf.md": ""}
	for path, note := range healthNotes {
		notes[path] = note
	}
	s := openVault(t, notes, limited)
	s.logIn(text, "/health")
	page := s.get("/health")
	page.expect(t, http.StatusOK, `<a href="/note?path=Plans%2FWharf.md"`, "1 mention", "0 links", "0 groups")
	page.lacks(t, "Secret", "Diary", "Copies")
}

package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"obsidian-mcp/internal/access/auth"
)

// inConflict serves a vault with a conflict in the store, and with copies.
func inConflict(t *testing.T, tokens ...auth.Token) (s *site, theirs string) {
	t.Helper()
	s = openVault(t, map[string]string{
		"Plans/Shed.md": "# Shed\nWood\n<b>ours</b>\n", "House.md": "one\n", "House (conflicted copy).md": "one\ntwo\n",
		"p.png": "\x89PNG", "p.sync-conflict-20261116-101010-ABCDEFG.png": "\x89PNG2",
	}, tokens...)
	theirs = string(s.store.DivergeFrom("Plans/Shed.md", []byte("# Shed\nWood\n"), []byte("# Shed\nWood\n<i>theirs</i>\n")))
	return s, theirs
}

// Conflicts are listed, and shown side by side with their merge.
func TestConflictsAreShown(t *testing.T) {
	s, theirs := inConflict(t)
	s.get("/conflicts").expect(t, http.StatusOK, "Plans/Shed.md", "House.md", "p.png", "2 versions in copies that a sync program made", `href="/conflict?note=Plans%2FShed.md"`, `aria-current="page"`)
	shown := s.get("/conflict?note=Plans/Shed.md")
	shown.expect(t, http.StatusOK, "The note as it is", "The other side", `<span class="added">&lt;b&gt;ours&lt;/b&gt;`, `<span class="added">&lt;i&gt;theirs&lt;/i&gt;`,
		`<span class="same">Wood`, "Merge the versions", "Keep this version", "+&lt;i&gt;theirs&lt;/i&gt;", theirs)
	shown.lacks(t, "<b>ours</b>")
	s.get("/conflict?note=House.md").expect(t, http.StatusOK, "House (conflicted copy).md", `<span class="added">two`, "Merge the versions")
	picture := s.get("/conflict?note=p.png")
	picture.expect(t, http.StatusOK, "has no text", "Keep this version")
	picture.lacks(t, "Merge the versions")
	s.get("/conflict?note=Nowhere.md").expect(t, http.StatusNotFound, "is not in conflict")
	open(t).get("/conflicts").expect(t, http.StatusOK, "Nothing is in conflict.")
}

// Only what is near a difference is shown of a long version, or all of it if there is none.
func TestFarLinesAreLeftOut(t *testing.T) {
	long := strings.Repeat("the same\n", 20)
	sides := make([]shownSide, 2)
	markSides(sides, []string{"first\n" + long + "ours\nend\n", "first\n" + long + "end\n"})
	var text []string
	for _, line := range sides[0].Lines {
		text = append(text, line.Text)
	}
	if got := strings.Join(text, "|"); got != "… 18 lines that all versions have|the same|the same|the same|ours|end" || len(sides[1].Lines) != 22 {
		t.Errorf("%s, and %d lines", got, len(sides[1].Lines))
	}
	sides = make([]shownSide, 1)
	markSides(sides, []string{strings.Repeat("x\n", mostSideLines+7)})
	if len(sides[0].Lines) != mostSideLines || sides[0].More != 7 {
		t.Errorf("%d lines, and %d more", len(sides[0].Lines), sides[0].More)
	}
}

// A version is kept, or all are merged; the page then says so, and the change can be undone.
func TestConflictsAreResolved(t *testing.T) {
	for choose, want := range map[string]string{"merge": "# Shed\nWood\n<b>ours</b>\n<i>theirs</i>\n", "theirs": "# Shed\nWood\n<i>theirs</i>\n"} {
		s, theirs := inConflict(t)
		if choose == "theirs" {
			choose = theirs
		}
		done := s.post("/conflict", url.Values{"note": {"Plans/Shed.md"}, "choose": {choose}})
		if to := done.Header.Get("Location"); done.StatusCode != http.StatusSeeOther || to != "/conflicts?resolved=Plans%2FShed.md" {
			t.Fatalf("%d %s", done.StatusCode, to)
		}
		if text := s.store.Files()["Plans/Shed.md"]; text != want {
			t.Errorf("%q, want %q", text, want)
		}
		s.get("/conflicts?resolved=Plans/Shed.md").expect(t, http.StatusOK, "is resolved")
		s.get("/conflicts?resolved=House.md").lacks(t, "is resolved")
		s.get("/changes").expect(t, http.StatusOK, "resolved a conflict in Plans/Shed")
	}
}

// Nothing is resolved with a page that is out of date.
func TestOutdatedConflictPages(t *testing.T) {
	s, _ := inConflict(t)
	form := url.Values{"note": {"House.md"}, "choose": {"merge"}, "hash": {strings.Repeat("0", 64)}}
	s.post("/conflict", form).expect(t, http.StatusConflict, "has changed since this page was made", "Merge the versions")
	form.Set("form", "from an earlier server")
	s.send(http.MethodPost, "/conflict", form).expect(t, http.StatusForbidden, "nothing was changed", "Merge the versions")
	if got := s.store.Files(); got["House.md"] != "one\n" || got["House (conflicted copy).md"] == "" {
		t.Errorf("%q", got)
	}
	s.over = 1
	many := s.post("/conflict", url.Values{"note": {"House.md"}, "choose": {"merge"}})
	many.expect(t, http.StatusUnprocessableEntity, "This changes 2 notes.", "Yes, resolve it", `name="confirm"`)
	s.post("/conflict", url.Values{"note": {"House.md"}, "choose": {"nonsense"}}).expect(t, http.StatusUnprocessableEntity, "is not a side")
}

// Callers with limits see only their own conflicts, and those who may not write have no buttons.
func TestConflictsOfLimitedCallers(t *testing.T) {
	text, limited := token(t, "phone", plansOnly(t))
	s, _ := inConflict(t, limited)
	s.logIn(text, "/conflicts")
	list := s.get("/conflicts")
	list.expect(t, http.StatusOK, "Plans/Shed.md")
	list.lacks(t, "House", "p.png")
	shown := s.get("/conflict?note=Plans/Shed.md")
	shown.expect(t, http.StatusOK, "theirs")
	shown.lacks(t, "Keep this version", "Merge the versions")
	s.get("/conflict?note=House.md").expect(t, http.StatusNotFound, "is not in conflict")
	s.post("/conflict", url.Values{"note": {"Plans/Shed.md"}, "choose": {"merge"}}).expect(t, http.StatusUnprocessableEntity, "unknown tool")
}

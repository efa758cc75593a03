package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Embedded notes, sections and blocks are quoted with a link to them, and their links are their own.
func TestEmbeds(t *testing.T) {
	s := openVault(t, map[string]string{
		"Home.md": "Before.\n\n![[Note]]\n\n![[Note#Beds]]\n\n![[Note#^one]]\n\nIn ![[Note#^one]] a line.\n\n" +
			"![[clip.mp3]] ![[scan.pdf]] ![[Board.canvas]] ![[Files/pot.png]]\n\n![[Gone]]\n\n![[Note#Nothing]]\n\n![[Home]]\n\nAfter.\n\n# Beds\n",
		"sub/Note.md":    "---\nsecret: frontmatter\n---\nFirst, see [[#Beds]] and [[Local]]. ^one\n\n# Beds\n\n![[near.png]] <b>bold</b>\n",
		"sub/Local.md":   "x",
		"other/Local.md": "x", "sub/near.png": png, "Files/pot.png": png, "clip.mp3": "x", "scan.pdf": "x", "Board.canvas": "{}",
	})
	shown := s.get("/note?path=Home.md")
	shown.expect(t, http.StatusOK,
		`<blockquote class="embedded"><p class="embedded-from"><a href="/note?path=sub%2FNote.md">sub/Note</a></p>`,
		`<a href="/note?path=sub%2FNote.md#h-beds">sub/Note › Beds</a></p>`, `<a href="/note?path=sub%2FNote.md">sub/Note › ^one</a></p>`,
		`see <a href="/note?path=sub%2FNote.md#h-beds">`, `<a href="/note?path=sub%2FLocal.md">Local</a>`, `src="/file?path=sub%2Fnear.png"`,
		`<a href="/file?path=clip.mp3" class="embed">`, `<a href="/file?path=scan.pdf" class="embed">`, `<a href="/note?path=Board.canvas" class="embed">`, `src="/file?path=Files%2Fpot.png"`,
		`title="There is no such note">Gone</span> not found</p>`, "the note has no such heading", "it would contain itself", "<p>After.</p>")
	shown.lacks(t, "secret", "<b>", "[!embed", "other%2F")
	if count := strings.Count(shown.main(), `<blockquote class="embedded">`); count != 7 {
		t.Errorf("%d embeds in\n%s", count, shown.main())
	}
	if !strings.Contains(shown.main(), "<p>After.</p>\n<h2 id=\"h-beds\">Beds</h2>") {
		t.Errorf("the note's own heading lost its id to an embedded one:\n%s", shown.main())
	}
}

// Embeds are shown three levels deep.
func TestEmbedsAreThreeLevelsDeep(t *testing.T) {
	files := map[string]string{}
	for i := range 6 {
		files[fmt.Sprintf("%d.md", i)] = fmt.Sprintf("level %d\n\n![[%d]]\n", i, i+1)
	}
	shown := openVault(t, files).get("/note?path=0.md")
	shown.expect(t, http.StatusOK, "<p>level 3</p>", "embeds are expanded three levels deep")
	shown.lacks(t, "level 4")
}

// An embed of a closed note looks like one of a note that does not exist.
func TestClosedEmbedsLookMissing(t *testing.T) {
	const text = "![[Closed]]\n\n![[Closed#Part]]\n\n![[Private/Closed#^id]]\n\n![[Open]]\n"
	secret, guest := withoutPrivate(t)
	var pages []string
	for _, closed := range []map[string]string{{"Private/Closed.md": "# Part\n\ncanary ^id\n"}, {}} {
		files := map[string]string{"Home.md": text, "Open.md": "open, [[Closed]], ![[Closed#Part]]\n"}
		for path, text := range closed {
			files[path] = text
		}
		s := openVault(t, files, guest)
		s.logIn(secret, "/").expect(t, http.StatusSeeOther)
		got := s.get("/note?path=Home.md")
		got.expect(t, http.StatusOK, "not found", `<p>open, <span class="missing"`)
		_, article, _ := strings.Cut(got.body, "<article")
		pages = append(pages, article)
	}
	if pages[0] != pages[1] || strings.Contains(pages[0], "canary") {
		t.Errorf("closed:\n%s\nmissing:\n%s", pages[0], pages[1])
	}
}

// A note's own callouts never pass for embedded text.
func TestOwnCalloutsAreNotEmbeds(t *testing.T) {
	s := openVault(t, map[string]string{
		"Home.md": "> [!embed] Other.md\n> mine\n\n> [! embed] Other.md\n> mine\n\n> [!Embed-2] Other.md\n> mine\n\n![[Other]]\n", "Other.md": "other",
	})
	shown := s.get("/note?path=Home.md")
	shown.expect(t, http.StatusOK, `<a href="/note?path=Other.md">Other</a></p>`+"\n<p>other</p>")
	if count := strings.Count(shown.main(), `class="embedded"`); count != 1 || strings.Count(shown.main(), `<div class="callout note">`) != 3 {
		t.Errorf("%d embeds in\n%s", count, shown.main())
	}
}

// However many notes are embedded, only some cost a call of a tool.
func TestEmbedsCostFewCalls(t *testing.T) {
	files, text := map[string]string{}, ""
	for i := range 3 * mostEmbedded {
		files[fmt.Sprintf("n%d.md", i)] = "[[Home]]\n"
		text += fmt.Sprintf("![[n%d]]\n\n![[n%d]]\n\n", i, i)
	}
	files["Home.md"] = text
	s := openVault(t, files)
	tools := 0
	enter := s.page.options.Server.Enter
	s.page.options.Server.Enter = func(r *http.Request, writes bool) (func(), error) {
		tools++
		return enter(r, writes)
	}
	shown := s.get("/note?path=Home.md")
	shown.expect(t, http.StatusOK, `<a href="/note?path=Home.md">Home</a>`, `<a href="/note?path=Home">Home</a>`)
	if tools > mostEmbedded+10 {
		t.Errorf("%d calls", tools)
	}
}

// The head of an embed names a note, however odd its name is.
func TestEmbedSource(t *testing.T) {
	for head, want := range map[string]string{
		"a.md": "a.md|", "dir #1/in.md#B#C": "dir #1/in.md|#B#C", "a.md#^id": "a.md|#^id", "A.MD": "A.MD|",
		"![[a.md]] not found": "", "![x](a.md#b) not found": "", "a.png": "", "": "",
	} {
		file, sub, ok := embedSource(head)
		if got := file + "|" + sub; ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v, want %q", head, got, ok, want)
		}
	}
}

package web

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/tool"
)

// sample returns a PDF from the tests of its reader.
func sample(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../media/pdf/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A PDF is shown page by page, through read_file, and what that refuses is said.
func TestPDFPages(t *testing.T) {
	const odd = `<b>"odd" & co.pdf`
	secret, guest := withoutPrivate(t)
	s := openVault(t, map[string]string{
		odd: sample(t, "pdfkit.pdf"), "locked.pdf": sample(t, "password.pdf"), "damaged.PDF": "%PDF-1.7\nnothing",
		"Private/closed.pdf": sample(t, "pdfkit.pdf"), "Home.md": "![[locked.pdf]] [[closed.pdf]]",
	}, guest)
	s.logIn(secret, "/").expect(t, http.StatusSeeOther)
	const address = "/file?path=%3Cb%3E%22odd%22+%26+co.pdf"
	first := s.get(address)
	first.expect(t, http.StatusOK, "<h1>&lt;b&gt;&#34;odd&#34; &amp; co.pdf</h1>", "page 1 of ", `<pre class="plain-text" dir="auto"`,
		`href="/file?page=2&amp;path=%3Cb%3E%22odd%22+%26+co.pdf" class="button" rel="next">`, `<input type="hidden" name="path" value="&lt;b&gt;&#34;odd&#34; &amp; co.pdf">`)
	first.lacks(t, "<b>", `rel="prev"`)
	second := s.get(address + "&page=2")
	second.expect(t, http.StatusOK, "page 2 of ", `rel="prev">`)
	if text := func(a pageResponse) string { _, text, _ := strings.Cut(a.body, "<pre"); return text }; text(first) == text(second) {
		t.Error("both pages show the same")
	}
	s.get(address+"&page=99").expect(t, http.StatusUnprocessableEntity, "page 99 does not exist")
	for _, number := range []string{"0", "-1", "two", "99999999999999999999"} {
		s.get(address+"&page="+number).expect(t, http.StatusUnprocessableEntity, "is not the number of a page")
	}
	s.get("/file?path=locked.pdf").expect(t, http.StatusUnprocessableEntity, "encrypted")
	s.get("/file?path=damaged.PDF").expect(t, http.StatusUnprocessableEntity, "damaged")
	closed, missing := s.get("/file?path=Private/closed.pdf"), s.get("/file?path=Private/gone.pdf")
	closed.expect(t, http.StatusNotFound)
	if closed.main() != strings.ReplaceAll(missing.main(), "gone.pdf", "closed.pdf") {
		t.Errorf("closed: %s\nmissing: %s", closed.main(), missing.main())
	}
	s.get("/note?path=Home.md").expect(t, http.StatusOK, `<a href="/file?path=locked.pdf" class="embed">locked.pdf</a>`, `<span class="missing"`)
	all := s.page.options.Server.Tools
	s.page.options.Server.Tools = func(who *auth.Principal) (*tool.Registry, error) {
		tools, err := all(who)
		return tools.Only(func(t tool.Tool) bool { return t.Name != "read_file" }), err
	}
	s.get(address).expect(t, http.StatusForbidden, "the text of a PDF needs the tool read_file")
}

// An SVG is recognized even after long comments and declarations.
func TestSniffsSVGAfterProlog(t *testing.T) {
	long := "<!-- " + strings.Repeat("made by hand ", 200) + "-->\n"
	for data, want := range map[string]string{
		long + "<svg></svg>": "image/svg+xml",
		"<?xml version=\"1.0\"?>\n" + long + long + "<!DOCTYPE svg>\n<svg>": "image/svg+xml",
		long + "<html>": "", long + "<svg": "image/svg+xml", long + "hello <svg>": "", "<!--": "", "<?": "",
	} {
		if got := sniffed([]byte(data)); got != want {
			t.Errorf("%.20q… %.20q: %q, want %q", data, data[max(0, len(data)-20):], got, want)
		}
	}
}

package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/tool"
)

// png begins like a PNG file, which is enough for these tests.
const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

// library is a vault with everything that the views of notes show.
var library = map[string]string{
	"Home.md":                "---\ncode: 007\nup: \"[[Garden]]\"\nlink: https://example.com/\nlost: \"[[Gone]]\"\ntags: [start, a/b]\n---\n# Hello\n\nSee [[Garden]], [[Garden/Beds|the beds]], [[Gone]] and [[Closed]].\n\n![[pot.png]] ![[Closed pot.png]] ![[Garden]]\n\n<script>alert(1)</script>\n",
	"Garden.md":              "Tomatoes, *crème* brûlée. Back to [[Home]].\n",
	"Garden/Beds.md":         "Beds.\n",
	"Private/Closed.md":      "The canary is here: [[Home]] [[Garden]] tomatoes.\n",
	"Private/Closed pot.png": png,
	"Files/pot.png":          png,
	"Files/fake.png":         "<script>alert(1)</script>",
	"Files/vector.svg":       `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
	"Files/scan.pdf":         "%PDF-1.4",
	"Broken.md":              "---\na: b: c\n---\nStill a note.\n",
	"Board.canvas":           `{"nodes":[{"type":"text","text":"<b>x</b>"}]}`,
}

// withoutPrivate returns a token that may see all but one folder.
func withoutPrivate(t *testing.T) (string, auth.Token) {
	t.Helper()
	open, err := scope.New(nil, []string{"Private/"})
	if err != nil {
		t.Fatal(err)
	}
	return token(t, "guest", auth.Grant{Scope: open})
}

// script is the header that scripts of the page send.
const script = "HX-Request: true"

// A note is shown even if its backlinks cannot be read in time.
func TestLateBacklinks(t *testing.T) {
	t.Parallel()
	s := openVault(t, library)
	s.page.options.BacklinksTimeout = time.Millisecond
	tools := s.page.options.Server.Tools
	s.page.options.Server.Tools = func(who *auth.Principal) (*tool.Registry, error) {
		all, err := tools(who)
		return all.Around(func(called tool.Tool, next tool.Handler) tool.Handler {
			return func(ctx context.Context, args json.RawMessage) (tool.Answer, error) {
				if called.Name == "backlinks_search" {
					<-ctx.Done()
				}
				return next(ctx, args)
			}
		}), err
	}
	s.get("/note?path=Home.md").expect(t, http.StatusOK, "<td>007</td>", "could not be read in time", "/graph?note=Home.md&amp;direction=in")
}

func TestNote(t *testing.T) {
	s := openVault(t, library)
	s.get("/note?path=Home.md").expect(t, http.StatusOK,
		"<td>007</td>", `<a href="/note?path=Garden.md">Garden</a></td>`, `<a href="https://example.com/" rel="noopener noreferrer nofollow" target="_blank">https://example.com/</a>`,
		`<span class="missing" title="There is no such note">Gone</span></td>`, `<a href="/search?q=tag%3A%23a%2Fb">#a/b</a>`,
		`<a href="/note?path=Garden%2FBeds.md">the beds</a>`, `<span class="missing" title="There is no such note">Gone</span> and`, `src="/file?path=Files%2Fpot.png"`,
		`<a href="/note?path=Garden.md" class="embed">Garden</a>`, "&lt;script&gt;alert(1)&lt;/script&gt;", `href="obsidian://open?file=Home.md&amp;vault=vault"`, `href="/graph?note=Home.md"`,
		"Linked from <span class=\"now\">2</span>", "Back to [[Home]].")
	s.get("/note?path=Home").expect(t, http.StatusOK, "<h1>Home</h1>")
	s.get("/note?path=Broken.md").expect(t, http.StatusOK, "The properties cannot be read", "a: b: c", "<p>Still a note.</p>")
	s.get("/note?path=Board.canvas").expect(t, http.StatusOK, `&lt;b&gt;x&lt;/b&gt;`, `<blockquote>`)
	long := openVault(t, map[string]string{"Long.md": strings.Repeat("a line of a long note\n", 30_000)})
	long.get("/note?path=Long.md").expect(t, http.StatusOK, "its beginning is shown")
	part := s.get("/note?path=Home.md", script)
	part.expect(t, http.StatusOK, `class="note-title"`)
	part.lacks(t, "<html", "<h1")
}

// A link leads to the page that shows its file.
func TestLinksToFiles(t *testing.T) {
	s := openVault(t, map[string]string{
		"A.md": "[[clip.avi]] [[b.yaml]] [[v1.2]] [[#^here]] [[#nowhere|x]]\n\ntext ^here\n", "clip.avi": "x", "b.yaml": "x", "v1.2.md": "x",
		"B.md": strings.Repeat("[[A]]\n", 30), "C.canvas": `{"nodes":[{"type":"file","file":"A.md"}]}`, "D.md": "[[A]]",
	})
	shown := s.get("/note?path=A.md")
	shown.expect(t, http.StatusOK, `href="/file?path=clip.avi"`, `href="/file?path=b.yaml"`, `href="/note?path=v1.2.md"`, `<span class="nowhere">`)
	shown.expect(t, http.StatusOK, `<a href="/note?path=B.md">B</a>`, "and in 29 more lines", `<a href="/note?path=C.canvas">C.canvas</a>`, `<a href="/note?path=D.md">D</a>`)
	shown.lacks(t, "There is no such note", "&#34;nodes&#34;")
	s.get("/graph?note=A").expect(t, http.StatusOK, `<a href="/file?path=clip.avi">`, `<a href="/note?path=B.md">`)
}

// Backlinks count notes and lines, however many links a line has.
func TestBacklinksCountLines(t *testing.T) {
	s := openVault(t, map[string]string{"A.md": "x", "B.md": "x [[A]] and [[A|again]]\n\n[[A]], [[A]]\n", "C.md": "[[A]] [[A]]\n", "D.md": strings.Repeat("[[A]] ", mostBacklinks)})
	s.get("/note?path=A.md").expect(t, http.StatusOK, `Linked from <span class="now">at least 3</span>`, "and in 1 more line<", "And more.")
	s = openVault(t, map[string]string{"A.md": "x", "B.md": "x [[A]] and [[A|again]]\n\n[[A]], [[A]]\n", "C.md": "[[A]] [[A]]\n"})
	shown := s.get("/note?path=A.md")
	shown.expect(t, http.StatusOK, `Linked from <span class="now">2</span>`, "and in 1 more line<")
	if strings.Count(shown.body, "more line") != 1 {
		t.Errorf("%s", shown.main())
	}
}

func TestNoteFailures(t *testing.T) {
	s := openVault(t, library)
	s.get("/note").expect(t, http.StatusUnprocessableEntity, "the path of a note is missing")
	s.get("/note?path=Nobody").expect(t, http.StatusNotFound, "not found")
	wrong := s.get("/note?path=a%00b")
	wrong.expect(t, http.StatusUnprocessableEntity)
	wrong.lacks(t, "too large")
	s.get("/note?path=../x").expect(t, http.StatusForbidden)
	s.get("/note?path=Files/scan.pdf").expect(t, http.StatusUnsupportedMediaType, "it is an attachment")
}

// No page reveals a note that the caller may not see.
func TestHiddenNotesAreNotRevealed(t *testing.T) {
	secret, guest := withoutPrivate(t)
	s := openVault(t, library, guest)
	s.logIn(secret, "/").expect(t, http.StatusSeeOther)
	home := s.get("/note?path=Home.md")
	home.expect(t, http.StatusOK, `<span class="missing" title="There is no such note">Closed</span>`, `<span class="missing" title="There is no such note">Closed pot.png</span>`)
	s.get("/note?path=Private/Closed.md").expect(t, http.StatusNotFound)
	s.get("/file?path=Private/Closed%20pot.png").expect(t, http.StatusNotFound)
	for _, path := range []string{"/note?path=Home.md", "/note?path=Garden.md", "/search?q=tomatoes", "/search?q=canary", "/search", "/graph", "/graph?note=Garden&depth=3", "/graph?note=Home&depth=2", "/graph?names=1&note=clo"} {
		var part []string
		if strings.Contains(path, "names") {
			part = []string{"HX-Request: true"}
		}
		got := s.get(path, part...)
		got.expect(t, http.StatusOK)
		got.lacks(t, "Private", "canary is here", "note=Closed", "Private%2F")
	}
	s.get("/graph?note=Closed").expect(t, http.StatusNotFound)
}

func TestSearch(t *testing.T) {
	s := openVault(t, library)
	s.get("/search").expect(t, http.StatusOK, "The newest of 6", "What you can search for")
	s.get("/search?q=CREME+brulee").expect(t, http.StatusOK, "1 note<", "<mark>crème</mark> <mark>brûlée</mark>", `href="/note?path=Garden.md"`, `value="CREME brulee"`)
	s.get("/search?q=script").expect(t, http.StatusOK, "&lt;<mark>script</mark>&gt;")
	s.get("/search?q=tag:%23a").expect(t, http.StatusOK, `<a href="/search?q=tag%3A%23a%2Fb" class="tag">#a/b</a>`)
	s.get("/search?q=nothingofthekind").expect(t, http.StatusOK, "Nothing was found.")
	s.get("/search?q=%3Cimg%20src=x%3E").lacks(t, "<img src=x")
	bad := s.get("/search?q=%2F(%2F", script)
	bad.expect(t, http.StatusUnprocessableEntity, "query-problem")
	bad.lacks(t, "<html")
	part := s.get("/search?q=tomatoes", script)
	part.expect(t, http.StatusOK, `id="search-status"`, `hx-swap-oob="innerHTML"`, "<mark>Tomatoes</mark>")
	part.lacks(t, "<html", "<form")
	s.get("/search?q=a&note=Garden%2FBeds.md").expect(t, http.StatusOK, `hx-get="/note?path=Garden%2FBeds.md"`, `<a href="/note?path=Garden%2FBeds.md">`)
}

// Costly expressions mark nothing instead of taking long.
func TestCostlyQueriesMarkNothing(t *testing.T) {
	text := strings.Repeat("a", 60) + "!"
	for _, c := range []struct{ query, text string }{{`/(a+)+$/`, text}, {`"(`, text}, {"", text}, {"tag:#x", text}} {
		joined := ""
		for _, piece := range marker(t.Context(), c.query)(c.text) {
			joined += piece.Text
		}
		if joined != c.text {
			t.Errorf("%s: %q", c.query, joined)
		}
	}
}

func TestFile(t *testing.T) {
	s := openVault(t, library)
	got := s.get("/file?path=Files/pot.png")
	got.expect(t, http.StatusOK, png)
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Disposition": "inline; filename=pot.png", "Cache-Control": "private, max-age=300",
		"Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q", name, got.Header.Get(name))
		}
	}
	svg := s.get("/file?path=Files/vector.svg").Header
	if svg.Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(svg.Get("Content-Security-Policy"), "sandbox;") {
		t.Errorf("svg: %v", svg)
	}
	s.get("/file?path=Files/fake.png").expect(t, http.StatusUnsupportedMediaType, "its content is not what its name says")
	s.get("/file?path=Files/clip.mov").expect(t, http.StatusUnsupportedMediaType, "only pictures and the text of PDFs are shown here")
	s.get("/file?path=Home.md").expect(t, http.StatusUnsupportedMediaType)
	s.get("/file?path=Files/none.png").expect(t, http.StatusNotFound)
	s.get("/file?path="+url.QueryEscape("../../etc/x.png")).expect(t, http.StatusNotFound)
	s.get("/file").expect(t, http.StatusUnprocessableEntity)
}

func TestSniffed(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"png": {png, "image/png"}, "jpeg": {"\xff\xd8\xff\xe0", "image/jpeg"}, "gif": {"GIF89a", "image/gif"}, "webp": {"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"}, "bmp": {"BM\x00\x00", "image/bmp"},
		"avif": {"\x00\x00\x00\x1cftypavif", "image/avif"}, "svg": {"\ufeff<?xml?>\n<svg>", "image/svg+xml"}, "html": {"<html><script>", ""}, "text": {"hello <svg", ""}, "nothing": {"", ""},
	} {
		if got := sniffed([]byte(c.data)); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A view names the tool that it lacks, and shows what it can without it.
func TestViewsWithoutTools(t *testing.T) {
	s := openVault(t, library)
	all := s.page.options.Server.Tools
	offering := func(names ...string) {
		s.page.options.Server.Tools = func(who *auth.Principal) (*tool.Registry, error) {
			tools, err := all(who)
			return tools.Only(func(t tool.Tool) bool { return slices.Contains(names, t.Name) }), err
		}
	}
	offering()
	s.get("/search").expect(t, http.StatusForbidden, "search needs the tool find_notes")
	s.get("/note?path=Home.md").expect(t, http.StatusForbidden, "the preview of notes needs the tool read_note")
	s.get("/graph").expect(t, http.StatusForbidden, "the graph needs the tool graph_neighbors")
	s.get("/changes").expect(t, http.StatusForbidden, "the list of changes needs the tool list_changes")
	s.page.options.Server.NoHistory = true
	for _, path := range []string{"/changes", "/changes/x"} {
		got := s.get(path)
		got.expect(t, http.StatusNotFound, "changes are not recorded here", "OBSIDIAN_MCP_HISTORY is off")
		got.lacks(t, "this login")
	}
	offering("note_read")
	s.get("/note?path=Home.md").expect(t, http.StatusOK, `<a href="/note?path=Gone">Gone</a>`, "<h1>Home</h1>")
	s.get("/note?path=Nobody.md").expect(t, http.StatusNotFound)
	offering("read_note")
	s.get("/note?path=Home.md").lacks(t, "Linked from", "/graph?note=")
	offering("graph_neighbors")
	s.get("/graph?note=Home").expect(t, http.StatusOK, "Graph of Home")
	s.get("/graph").expect(t, http.StatusOK, `name="note"`)
}

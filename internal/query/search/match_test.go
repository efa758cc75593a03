package search_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/query/search"
)

func parse(t testing.TB, text string) *search.Query {
	t.Helper()
	q, err := search.Parse(text, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestMatch(t *testing.T) {
	t.Parallel()
	const tasks = "- [ ] call Bob\n  - [x] buy milk\n- plain item\n\n> - [/] quoted task\n"
	for _, test := range []struct {
		name, query, text string
		want              bool
	}{
		{"diacritics in the text", "malaga", "in Málaga", true},
		{"diacritics in the word", "Málaga", "in malaga", true},
		{"decomposed text", "málaga", "in MA\u0301LAGA", true},
		{"ё is е", "елка", "Ёлка", true},
		{"й is not и", "мои", "мой", false},
		{"ß", "strasse", "Straße", true},
		{"phrase keeps diacritics", `"malaga"`, "Málaga", false},
		{"phrase in both normal forms", "\"málaga\"", "Ma\u0301laga", true},
		{"phrase without case", `"STAR wars"`, "the Star Wars", true},
		{"phrase is whole words", `"star war"`, "star wars", false},
		{"phrase after a longer word", `"war"`, "wars war", true},
		{"phrase is not cut by an underscore", `"a"`, "a_b", false},
		{"phrase with an edge that is not a letter", `"- [ ]"`, "x- [ ]y", true},
		{"phrase in CJK", `"本語"`, "日本語文", true},
		{"Latin phrase beside CJK", `"Go"`, "使用Go語言", true},
		{"phrase beside a decomposed mark", `"caf"`, "cafe\u0301", false},
		{"newline is not a space", `"a b"`, "a\nb", false},
		{"match-case word", "match-case:Foo", "foo", false},
		{"match-case keeps diacritics", "match-case:Malaga", "Málaga", false},
		{"match-case in both normal forms", "match-case:Málaga", "xMa\u0301laga", true},
		{"a lone mark", "\u0301", "cafe", false},
		{"regex without case", "/FO+/", "foo", true},
		{"regex with case", "match-case:/FO+/", "foo", false},
		{"name", "mynote", "", true},
		{"name and text together", "mynote word", "word", true},
		{"phrase in the name", `"mynote"`, "", true},
		{"folder is not part of the name", "dossier", "", false},
		{"extension is not part of the name", "md", "", false},
		{"content is not the name", "content:mynote", "", false},
		{"file has the extension", "file:.MD", "", true},
		{"path", "path:dossier/my", "", true},
		{"words of one line", "line:(a b)", "a\nb", false},
		{"line with exclusion", "line:(a -b)", "a b\na", true},
		{"no such line", "-line:(a -b)", "a b\n", true},
		{"line of frontmatter", "line:(p one)", "---\np: one\n---\n", true},
		{"CRLF lines", `line:/^b$/`, "a\r\nb\r\nc", true},
		{"line in a section", "section:(Head line:(x y))", "x y\n# Head\nx\ny\n", false},
		{"item is a block", "block:(call milk)", tasks, false},
		{"paragraph is a block", "block:(a b)", "a\nb\n\nc", true},
		{"section before the first heading", "section:(a b)", "a\n\nb\n# H\n", true},
		{"section has its heading", "section:(H b)", "a\n# H\nb\n", true},
		{"section ends at a lower heading", "section:(One x)", "# One\n## Two\nx\n", false},
		{"todo task", "task-todo:call", tasks, true},
		{"todo task has no children", "task-todo:milk", tasks, false},
		{"done task", "task-done:milk", tasks, true},
		{"custom state is done", "task-done:quoted", tasks, true},
		{"item without a box", "task:plain", tasks, false},
		{"any task", `task:""`, "- [] x\n", false},
		{"task in code", "task:call", "```\n- [ ] call\n```\n", false},
		{"tag", "tag:work", "#Work/sub x", true},
		{"tag is not a prefix", "tag:wor", "#work", false},
		{"parent is not child", "tag:work/sub", "#work", false},
		{"tag of frontmatter", "tag:#a", "---\ntags: [a]\n---\n", true},
		{"tag in code", "tag:a", "`#a`", false},
		{"tag of a line", "line:(x tag:a)", "x #a", true},
		{"tag of another line", "line:(x tag:a)", "x\n#a", false},
		{"tag with an umlaut", "tag:ÜBER", "#u\u0308ber/x", true},
		{"brackets are text", "[[other", "see [[Other]]", true},
		{"empty query", " ", "", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := parse(t, test.query).Match(fileOf("Dossier/MyNote.md", test.text)); got != test.want {
				t.Errorf("%s on %q: got %v", test.query, test.text, got)
			}
		})
	}
}

func TestMatchProperty(t *testing.T) {
	t.Parallel()
	const note = `---
Status: In Progress
n: 7
price: "12.50"
big: 1e3
done: true
list: [Red, dark blue, 4]
none:
empty: ""
nolist: []
date: 2024-05-31
time: 2024-05-31T18:30:00
nested: {a: {b: deep}}
name: Málaga
---
`
	for query, want := range map[string]bool{
		"[status]": true, "[STATUS:progress]": true, `[status:"progress"]`: false, `[status:"in progress"]`: true, "[status:done OR progress]": true,
		"[status:-done]": true, "[missing]": false, "[missing:-x]": false, "[none]": true, "-[missing]": true,
		"[n:7]": true, "[n:<7]": false, "[n:<=7]": true, "[n:>=7]": true, "[n:>6.5]": true, "[n:> 6]": true, "[n:>2024-01]": false,
		"[price:>12]": true, "[price:<13]": true, "[big:>999]": true, "[status:>1]": false,
		"[done:true]": true, "[done:false]": false,
		"[list:red]": true, "[list:blue red]": true, `[list:"dark blue"]`: true, `[list:"blue"]`: false, "[list:-green]": true, "[list:-red]": false, "[list:>3]": true, "[list:>4]": false,
		"[none:null]": true, "[empty:null]": false, "[nolist:null]": false, "[n:null]": false, `[none:"null"]`: false, "[none:n]": false, `[empty:""]`: true,
		"[date:>2024-05-30]": true, "[date:>2024-05-31]": false, "[date:>=2024-05-31]": true, "[date:<2024-06]": true, "[date:>2024-05]": false, "[date:2024-05]": true,
		"[time:>2024-05-31]": false, "[time:>2024-05-31T18:00]": true, "[date:<2024-05-31T18:00]": true,
		"[nested:deep]": true, "[nested:a]": false, "[name:malaga]": true, `[name:"malaga"]`: false, "[status:/^in/]": true, "[status:/^progress/]": false,
	} {
		if got := parse(t, query).Match(fileOf("n.md", note)); got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}

func TestMatchAttachment(t *testing.T) {
	for query, want := range map[string]bool{
		"file:cat": true, "path:img": true, "cat": false, "-dog": false, "-path:other": false, "": false, "cat file:.jpg": true,
		"dog file:.jpg": false, "-dog file:.jpg": true, "-dog OR file:.png": false, "-dog OR file:.jpg": true, "tag:x OR path:img": true, "content:cat": false,
	} {
		if got := parse(t, query).Match(fileOf("img/Cat.jpg", "")); got != want {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}

func TestMatchCanvas(t *testing.T) {
	canvas := fileOf("Board.canvas", `{"nodes":[{"id":"n1","type":"text","text":"---\nfirst \"card\"\n`+"```"+`\n"},{"type":"file","file":"Some/Path.md"},{"type":"text","text":"- [ ] second\n#tagged"}]}`)
	for query, want := range map[string]bool{
		`"first \"card\""`: true, "second": true, "nodes": false, "Path": false, "task:second": true, "tag:tagged": true, "section:(first second)": false,
		"line:(first card)": true, "board": true, "canvas": false, "file:canvas": true, "[x]": false,
	} {
		if got := parse(t, query).Match(canvas); got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	if parse(t, "x").Match(fileOf("broken.canvas", `{"nodes":[{"x"`)) {
		t.Error("a broken canvas has text")
	}
}

func TestFileTagsAndPropertiesAreUsed(t *testing.T) {
	file := fileOf("n.md", "#other")
	file.Tags = func() []string { return []string{"#given"} }
	file.Properties = func() []front.Field { return []front.Field{{Key: "p", Value: front.TextValue("v")}} }
	if !parse(t, "tag:given [p:v] -tag:other").Match(file) {
		t.Error("Match ignored the tags and properties of the File")
	}
}

func TestSpans(t *testing.T) {
	for _, test := range []struct{ query, text, want string }{
		{"malaga", "Málaga and MA\u0301LAGA", "Málaga|MA\u0301LAGA"},
		{"a b", "b a b", "b|a|b|"},
		{"star rwa", "starwars", "starwa"},
		{`"star"`, "stars star Stár star", "star|star"},
		{`"a-a"`, "xa-a-a", "a-a"},
		{"match-case:A", "a A á", "A"},
		{"/o+x?/", "foo oox\nox", "oo|ox"},
		{"-a b", "a b", "b"},
		{"file:a path:a b", "a b", "b"},
		{"line:(a b)", "a\na b\nb", "a|b"},
		{"task:call", "call\n- [ ] call x\n", "call"},
		{`task:""`, "- [ ] x\n", ""},
		{"", "x", ""},
	} {
		var got []string
		for _, span := range parse(t, test.query).Spans(fileOf("n.md", test.text), 10) {
			got = append(got, string(span.Of([]byte(test.text))))
		}
		if joined := strings.Join(got, "|"); joined != strings.TrimSuffix(test.want, "|") {
			t.Errorf("%s in %q: %q, want %q", test.query, test.text, joined, test.want)
		}
	}
	if got := parse(t, "a").Spans(fileOf("n.md", "a a a"), 2); len(got) != 2 {
		t.Errorf("%d spans, want 2", len(got))
	}
}

func TestExcluded(t *testing.T) {
	excluded := search.Excluded([]string{"Archive/", "/\\.excalidraw\\.md$/", "/(/", "", "Old note.md"})
	for path, want := range map[string]bool{
		"archive/x.md": true, "Archive.md": false, "b/Archive/x.md": false, "d/Plan.excalidraw.md": true, "Old note.md": true, "x.md": false,
	} {
		if excluded(path) != want {
			t.Errorf("%s: excluded is %v", path, !want)
		}
	}
}

// Many goroutines may use a query.
func TestMatchInParallel(t *testing.T) {
	q := parse(t, `foo line:(bar baz) /q+x/ [p:v] tag:t`)
	matching := fileOf("y.md", "---\np: v\n---\nfoo\nbar baz\nqqx #t\n")
	other := fileOf("n.md", "---\np: v\n---\nfoo\nbar\nbaz\nqqx #t\n")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				if !q.Match(matching) || q.Match(other) {
					t.Error("wrong answer")
					return
				}
			}
		})
	}
	group.Wait()
}

// hostile are queries that take much time on hostileText, yet must not take exponential time.
var hostile = map[string]string{
	"many exclusions": "line:(" + strings.Repeat("-b ", 250) + ")",
	"nested units":    strings.Repeat("section:block:line:", 30) + "b",
	"nested lines":    strings.Repeat("line:(-x ", 40) + "-a" + strings.Repeat(")", 40),
	"long phrase":     `line:("` + strings.Repeat("a ", 500) + `" OR "a b")`,
}

var hostileText = strings.Repeat("a\n", 1<<10)

// A hostile query ends. BenchmarkHostile measures how soon; were it exponential, this test would run into the timeout.
func TestHostileQueriesEnd(t *testing.T) {
	for _, text := range hostile {
		q := parse(t, text)
		q.Match(fileOf("n.md", hostileText))
		q.Spans(fileOf("n.md", hostileText), 10)
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile {
		b.Run(name, func(b *testing.B) {
			q := parse(b, text)
			for b.Loop() {
				q.Match(fileOf("n.md", hostileText))
				q.Spans(fileOf("n.md", hostileText), 10)
			}
		})
	}
}

// Any bytes can be a note, and matching them never fails.
func FuzzMatch(f *testing.F) {
	var queries []*search.Query
	for _, text := range []string{
		"a é", `"a b" OR "é"`, "match-case:É", "/a+/", "line:(a -b)", "block:(a /b/)", "section:(line:a block:b)", `task:"" task-todo:a`, "task-done:-b",
		"tag:a line:tag:b", "[a:b] -[c:<5]", "[d:null] OR [e:/x/]", "file:a path:b content:c",
	} {
		queries = append(queries, parse(f, text))
	}
	f.Add([]byte("---\na: b\n---\n# a é\n\n> - [ ] a #a\n- - [x] b\n"), false)
	f.Add([]byte(`{"nodes":[{"type":"text","text":"# a\n- [ ] b #b"}]}`), true)
	f.Fuzz(func(t *testing.T, text []byte, canvas bool) {
		file := &search.File{Path: "a/b.md", Text: text, Note: !canvas, Canvas: canvas}
		searched := text
		if canvas {
			searched = search.CanvasText(text)
		}
		for _, q := range queries {
			q.Match(file)
			end := 0
			for _, span := range q.Spans(file, 7) {
				if span.Start < end || span.End <= span.Start || span.End > len(searched) {
					t.Fatalf("%s: span %v of %q", show(q.Root), span, searched)
				}
				end = span.End
			}
		}
		word := parse(t, "content:é")
		if found := len(word.Spans(file, 1)) > 0; found != word.Match(file) {
			t.Errorf("%q: Spans finds something: %v, Match: %v", searched, found, !found)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	sentence := "The quick brown Fox jumps over the lazy Dog, and then it takes a nap.\n"
	text := bytes.Repeat([]byte(sentence), 3000/len(sentence))
	cyrillic := bytes.Repeat([]byte("Съешь ещё этих мягких французских Булок, да выпей чаю.\n"), 30)
	for _, bench := range []struct {
		name, query string
		text        []byte
	}{
		{"two words, absent", "needle haystack", text},
		{"two words, present", "lazy quick", text},
		{"two words, cyrillic", "мягких кофе", cyrillic},
		{"phrase", `"lazy dog"`, text},
		{"line", "line:(fox nap)", text},
		{"block", "block:(fox needle)", text},
		{"section", "section:(fox nap)", text},
	} {
		b.Run(bench.name, func(b *testing.B) {
			q := parse(b, bench.query)
			file := fileOf("Folder/Note.md", "")
			file.Text = bench.text
			b.ReportAllocs()
			b.SetBytes(int64(len(bench.text)))
			for b.Loop() {
				q.Match(file)
			}
		})
	}
}

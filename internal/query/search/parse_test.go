package search_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/query/search"
)

var opNames = map[search.Op]string{
	search.InFile: "file", search.InPath: "path", search.InContent: "content", search.InLine: "line", search.InBlock: "block",
	search.InSection: "section", search.InTask: "task", search.InTodoTask: "todo", search.InDoneTask: "done",
}

// show writes a tree in a form that shows its structure.
func show(node search.Node) string {
	switch n := node.(type) {
	case nil:
		return "nothing"
	case *search.And:
		return "(" + showAll(n.Nodes, " & ") + ")"
	case *search.Or:
		return "(" + showAll(n.Nodes, " | ") + ")"
	case *search.Not:
		return "!" + show(n.Node)
	case *search.Word:
		return n.Text + mark(n.Case)
	case *search.Phrase:
		return fmt.Sprintf("%q", n.Text) + mark(n.Case)
	case *search.Regex:
		return "/" + n.Source + "/" + mark(n.Case)
	case *search.Scope:
		return opNames[n.Op] + ":" + show(n.Node)
	case *search.Tag:
		return "#" + n.Name
	case *search.Property:
		if n.Value == nil {
			return "[" + n.Name + "]"
		}
		return "[" + n.Name + "=" + show(n.Value) + "]"
	case *search.Compare:
		return n.Sign + n.Limit
	case *search.Null:
		return "NULL"
	}
	return fmt.Sprintf("%T?", node)
}

func mark(matchCase bool) string {
	if matchCase {
		return "^"
	}
	return ""
}

func showAll(nodes []search.Node, between string) string {
	var texts []string
	for _, node := range nodes {
		texts = append(texts, show(node))
	}
	return strings.Join(texts, between)
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "nothing"},
		{" \t\n\u3000", "nothing"},
		{"a", "a"},
		{"a b", "(a & b)"},
		{"a b OR c d", "((a & b) | (c & d))"},
		{"a OR b OR c", "(a | b | c)"},
		{"a (b OR c)", "(a & (b | c))"},
		{"a OR(b c)", "(a | (b & c))"},
		{"-a -(b c)", "(!a & !(b & c))"},
		{"--a", "!-a"},
		{"- a", "(- & a)"},
		{"(-)", "-"},
		{"a or b", "(a & or & b)"},
		{"OR", "OR"},
		{"OR a", "(OR & a)"},
		{"a OR", "(a & OR)"},
		{"a OR OR b", "(a | (OR & b))"},
		{"(a OR)", "(a & OR)"},
		{"ORDER a", "(ORDER & a)"},
		{"a ORDER", "(a & ORDER)"},
		{`"a b"`, `"a b"`},
		{`"a \"b\" \\ \n"`, `"a \"b\" \\ \\n"`},
		{`"a b`, `("a & b)`},
		{`5" disk`, `(5" & disk)`},
		{`""`, `""`},
		{"/a b/ c", "(/a b/ & c)"},
		{"/a[/]b/", "/a[/]b/"},
		{`/a\/b/`, `/a\/b/`},
		{"/home", "/home"},
		{"//", "//"},
		{"a/b/c", "a/b/c"},
		{"print(x) y", "(print(x) & y)"},
		{"print(x y)", "(print & (x & y))"},
		{"(a(b))", "a(b)"},
		{"file:a", "file:a"},
		{"FILE:.jpg", "file:.jpg"},
		{"file:-a", "file:!a"},
		{`file:("to be" OR -"2B")`, `file:("to be" | !"2B")`},
		{"path:a/b content:c", "(path:a/b & content:c)"},
		{"line:(a b) block:c section:d", "(line:(a & b) & block:c & section:d)"},
		{`task:"" task-todo:a task-done:b`, `(task:"" & todo:a & done:b)`},
		{"-line:x", "!line:x"},
		{"section:line:x", "section:line:x"},
		{"https://x.y", "https://x.y"},
		{"foo:bar", "foo:bar"},
		{":x", ":x"},
		{"match-case:A b", "(A^ & b)"},
		{"match-case:(A ignore-case:B \"C\" /D/)", `(A^ & B & "C"^ & /D/^)`},
		{"tag:#work", "#work"},
		{"tag:work/", "#work"},
		{`tag:("#a" OR -b)`, "(#a | !#b)"},
		{"[p]", "[p]"},
		{"[ my prop ]", "[my prop]"},
		{`["a:b":c]`, "[a:b=c]"},
		{"[p:a OR b]", "[p=(a | b)]"},
		{"[p:(a b) -c]", "[p=((a & b) & !c)]"},
		{`[p:"a]b"]`, `[p="a]b"]`},
		{"[p:/[a-z]+/]", "[p=/[a-z]+/]"},
		{"[p:null] [p:\"null\"]", `([p=NULL] & [p="null"])`},
		{"[p:<5] [p:>=-2.5] [p: < 3]", "([p=<5] & [p=>=-2.5] & [p=<3])"},
		{"[p:>2024-05-31]", "[p=>2024-05-31]"},
		{"[p:file:x]", "[p=file:x]"},
		{"[p:a[0]]", "[p=a[0]]"},
		{"[p:a", "[p:a"},
		{"- [ ] a", "(- & [ & ] & a)"},
		{"[[A b]]", "([[A & b]])"},
		{"a[0]", "a[0]"},
		{"-[p]", "![p]"},
		{"日本 OR 中文", "(日本 | 中文)"},
	} {
		q, err := search.Parse(test.text, search.Options{})
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
		} else if got := show(q.Root); got != test.want {
			t.Errorf("%s\nreads %s\nwant  %s", test.text, got, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct {
		text, about string
		character   int // that the message points to; 0: none
	}{
		{"a (b", "( that is not closed", 3},
		{"ж (b", "( that is not closed", 3},
		{"a b)", ") without a (", 4},
		{"()", "nothing between", 1},
		{"a file:", "file: has nothing", 3},
		{"file: a", "without a space", 1},
		{"(task:)", "task: has nothing", 2},
		{"tag:#", "needs the name", 1},
		{"x tag:/a/", "names of tags", 3},
		{"a /b(/", "regular expression", 5},
		{"/(?=a)/", "regular expression", 2},
		{`/(a)\1/`, "regular expression", 5},
		{"[p:]", "has no value", 1},
		{"[:x]", "needs a name", 1},
		{"[p:<x]", "number or a date", 5},
		{"[p:<]", "number or a date", 5},
		{"[p:>2024-13]", "number or a date", 5},
		{"[p:(a]", "not closed", 4},
		{strings.Repeat("(", 101) + "a" + strings.Repeat(")", 101), "too deep", 101},
		{strings.Repeat("file:", 101) + "a", "too deep", 501},
		{strings.Repeat("a ", 300), "more than 256 parts", 513},
		{strings.Repeat("/a/ ", 21), "more than 20 regular", 81},
		{"a\x00b", "NUL", 2},
		{"a\xffb", "not valid UTF-8: byte 2", 0},
		{strings.Repeat("x", 5000), "too long: 5000 bytes", 0},
	} {
		_, err := search.Parse(test.text, search.Options{})
		if !errors.Is(err, fault.InvalidArgument) {
			t.Errorf("%.40s: %v, want an invalid argument", test.text, err)
			continue
		}
		message := err.Error()
		if !strings.Contains(message, test.about) {
			t.Errorf("%.40s: %s\nwant something about %q", test.text, message, test.about)
		}
		position := fmt.Sprintf("at character %d of", test.character)
		if test.character > 0 && !strings.Contains(message, position) {
			t.Errorf("%.40s: %s\nwant %q", test.text, message, position)
		}
		if len(message) > 400 {
			t.Errorf("%.40s: the message has %d bytes", test.text, len(message))
		}
	}
}

func TestErrorShowsThePosition(t *testing.T) {
	_, err := search.Parse("foo (bar baz", search.Options{})
	want := "at character 5 of the query:\n  foo (bar baz\n      ^"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("the error is %v, want it to end with %s", err, want)
	}
}

// A megabyte is refused for its length alone: only the error is allocated, and no node of a tree.
func TestMegabyteQueryIsRefusedUnparsed(t *testing.T) {
	text := strings.Repeat("(a OR ", 1<<20/6)
	allocations := testing.AllocsPerRun(5, func() {
		if _, err := search.Parse(text, search.Options{}); err == nil {
			t.Error("a query of a megabyte was accepted")
		}
	})
	if allocations > 10 {
		t.Errorf("%v allocations to refuse a query of a megabyte", allocations)
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"a": "a", "Foo bar": "Foo,bar", "a OR": "a,OR", "https://x": "https://x",
		"": "-", "a OR b": "-", "-a": "-", `"a"`: "-", "(a)": "-", "file:a": "-", "/a/": "-", "[a]": "-", "tag:a": "-", "match-case:a": "-",
	} {
		q, err := search.Parse(text, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		words, ok := q.Plain()
		if got := strings.Join(words, ","); ok != (want != "-") || ok && got != want {
			t.Errorf("%q: plain words %q %v, want %s", text, words, ok, want)
		}
	}
}

func TestTerms(t *testing.T) {
	q, err := search.Parse(`a -b file:c line:("d e" OR -f) /g/ -(-h) tag:t [p:v] match-case:I task:""`, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, term := range q.Terms() {
		got = append(got, fmt.Sprintf("%d %s %s%s", term.Kind, opNames[term.Scope], term.Text, mark(term.Case)))
	}
	want := "0  a,0 file c,1 line d e,2  g,0  h,0  I^"
	if strings.Join(got, ",") != want {
		t.Errorf("terms %q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`a b OR -"c d" /e+/ (f OR g)`, `file:x path:(a "b") tag:#t [p:<5] [q:"a" OR null]`, `line:(a -b) task:"" match-case:X`, `[a:(b`, `"`, `-(-)`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	note := fileOf("Folder/A note.md", "---\np: 3\nq: [a, b]\n---\n# H\na b c d\n\n- [ ] task X #t\n- [x] done\n")
	canvas := fileOf("C.canvas", `{"nodes":[{"type":"text","text":"a b #t"}]}`)
	picture := fileOf("img/x.png", "")
	f.Fuzz(func(t *testing.T, text string, matchCase bool) {
		q, err := search.Parse(text, search.Options{MatchCase: matchCase})
		if err != nil {
			if !errors.Is(err, fault.InvalidArgument) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		for _, file := range []*search.File{note, canvas, picture} {
			if first := q.Match(file); first != q.Match(file) {
				t.Errorf("%q: the second answer for %s differs", text, file.Path)
			}
			end := 0
			for _, span := range q.Spans(file, 5) {
				if span.Start < end || span.End <= span.Start || span.End > len(file.Text) {
					t.Errorf("%q: spans %v", text, q.Spans(file, 5))
				}
				end = span.End
			}
		}
	})
}

package regex_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"obsidian-mcp/internal/text/regex"
)

func compile(t testing.TB, pattern string, o regex.Options) *regex.Regex {
	t.Helper()
	r, err := regex.Compile(pattern, o)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	return r
}

// lines returns the lines that match.
func lines(r *regex.Regex, text string) []string {
	m := r.Matcher()
	defer m.Release()
	var found []string
	m.Lines([]byte(text), func(start, end int) bool {
		found = append(found, text[start:end])
		return true
	})
	return found
}

func TestRipgrepLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, pattern, text, want string }{
		{"a literal", "bar", "foo\nbar\nrebars\n", "bar|rebars"},
		{"an empty pattern finds every line", "", "a\n\nb", "a||b"},
		{"a line feed at the end does not start a line", "", "a\n", "a"},
		{"an empty text has no lines", "", "", ""},
		{"a last line without a line feed", "c$", "a\nbc", "bc"},
		{"an empty line", "^$", "a\n\nb\n\n", "|"},
		{"no empty line after the last line feed", "^$", "a\n", ""},
		{"the end is before LF only", "a$", "a\r\na\n", "a"},
		{"with the flag R it is before CRLF too", "(?R)a$", "a\r\na\n", "a\r|a"},
		{"the ends of the text are the ends of the line", `\Ab\z`, "a\nb\n", "b"},
		{"a dot is a whole character", "^.$", "é\nab\n日\n\xff\n", "é|日"},
		{"a negated class does not match an invalid byte", "^[^a]$", "\xff\nb\n", "b"},
		{"a byte class does", `(?-u)^[^a]$`, "\xff\nb\n", "\xff|b"},
		{"words are Unicode words", `^\w+$`, "привет\nab-c\n日本\ne\u0301\n", "привет|日本|e\u0301"},
		{"digits are Unicode digits", `^\d$`, "7\n٣\nx\n", "7|٣"},
		{"space is Unicode space", `a\sb`, "a\u00a0b\na\u200bb\n", "a\u00a0b"},
		{"a boundary next to Cyrillic", `\bмир\b`, "миром\nв мир.\n", "в мир."},
		{"an ASCII boundary", `(?-u:\b)a`, "éa\nba\n", "éa"},
		{"half boundaries", `\b{start-half}-`, "a-\n -\n", " -"},
		{"angle boundaries", `\<a\>`, "a b\nab\n", "a b"},
		{"case folds as in Unicode", "(?i)^k$", "k\nK\n\u212a\nc\n", "k|K|\u212a"},
		{"case folding turned off again", "(?i)a(?-i)b", "AB\nAb\n", "Ab"},
		{"flags hold to the end of the group", "(?:(?i)a)b", "AB\nAb\n", "Ab"},
		{"folded classes", "(?i)[^x]y", "Xy\nay\n", "ay"},
		{"classes with operators", "^[a-z--[aeiou]]$", "a\nb\n", "b"},
		{"intersection", `^[\w&&[^\d]]$`, "a\n1\n", "a"},
		{"symmetric difference", "^[ab~~bc]$", "a\nb\nc\n", "a|c"},
		{"POSIX classes are ASCII", "^[[:alpha:]]$", "a\né\n", "a"},
		{"categories and scripts", `^\p{Lu}\p{Greek}$`, "Aα\naα\nAa\n", "Aα"},
		{"later additions to Unicode", `^\pL$`, "\U0002ebf0\n1\n", "\U0002ebf0"},
		{"free spacing", "(?x) a b # comment\n c", "abc\na b c\n", "abc"},
		{"counted repetition", "^a{2,3}$", "a\naa\naaa\naaaa\n", "aa|aaa"},
		{"a class loses its line feed", `a[\n ]b`, "a b\na\nb\n", "a b"},
		{"alternatives of single characters are a class", `a(?:\n| )b`, "a b\na\nb\n", "a b"},
		{"space never matches a line feed", `a\s*b`, "a\nb\na b\n", "a b"},
		{"escapes", `\x41\u0042\U00000043\x{44}`, "ABCD\n", "ABCD"},
		{"parentheses that are balanced only when wrapped", "a)|(b", "a\nb\nc\n", "a|b"},
		{"named groups", "(?P<x>a)(?<y>b)", "ab\n", "ab"},
		{"a class that is empty", `[^\s\S]|b`, "a\nb\n", "b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(lines(compile(t, test.pattern, regex.Options{}), test.text), "|")
			if got != test.want {
				t.Errorf("%q in %q: got %q, want %q", test.pattern, test.text, got, test.want)
			}
		})
	}
}

func TestIgnoreCase(t *testing.T) {
	r := compile(t, "straße", regex.Options{IgnoreCase: true})
	if got := lines(r, "STRAẞE\nSTRASSE\nStraße\n"); !slices.Equal(got, []string{"STRAẞE", "Straße"}) {
		t.Errorf("got %q", got)
	}
}

func TestErrors(t *testing.T) {
	script := regex.Options{Dialect: regex.JavaScript}
	for _, test := range []struct {
		pattern string
		o       regex.Options
		offset  int
		message string
	}{
		{"a(b", regex.Options{}, 1, "unclosed group"},
		{"ab)", regex.Options{}, 2, "unopened group"},
		{"a[b", regex.Options{}, 1, "unclosed character class"},
		{"*a", regex.Options{}, 0, "repetition operator missing expression"},
		{"a{2", regex.Options{}, 1, "unclosed counted repetition"},
		{"a{,3}", regex.Options{}, 1, "expects a valid decimal"},
		{"a{3,2}", regex.Options{}, 1, "invalid repetition count range"},
		{"é(?=a)", regex.Options{}, 2, "look-around"},
		{"(?<!a)b", regex.Options{}, 0, "look-around"},
		{`(a)\1`, regex.Options{}, 3, "backreferences are not supported"},
		{`\y`, regex.Options{}, 0, "unrecognized escape sequence"},
		{"[z-a]", regex.Options{}, 1, "invalid character class range"},
		{`\p{Klingon}`, regex.Options{}, 0, "property not found"},
		{`a\nb`, regex.Options{}, 1, `"\n" is not allowed`},
		{"(?P<n>a)(?P<n>b)", regex.Options{}, 12, "duplicate capture group name"},
		{"(?z)", regex.Options{}, 2, "unrecognized flag"},
		{"a\xffb", regex.Options{}, 1, "not valid UTF-8"},
		{strings.Repeat("(", 300) + strings.Repeat(")", 300), regex.Options{}, 0, "nested"},
		{"(a{1000}){1000}", regex.Options{}, 0, "too large"},
		{`\w{10000}`, regex.Options{}, 0, "too large"},
		{strings.Repeat("a", 1<<20), regex.Options{}, 32 << 10, "too long"},
		{"a(?=b)", script, 1, "look-around"},
		{`(a)\1`, script, 3, "backreferences"},
		{`(?<n>a)\k<n>`, script, 7, "backreferences"},
		{"a**", script, 2, "repetition operator missing"},
		{"[b-a]", script, 1, "invalid character class range"},
		{"(a", script, 0, "unclosed group"},
		{"[a", script, 0, "unclosed character class"},
	} {
		_, err := regex.Compile(test.pattern, test.o)
		var e *regex.Error
		if !errors.As(err, &e) {
			t.Errorf("%.40q: got %v, want an Error", test.pattern, err)
			continue
		}
		if !strings.Contains(e.Message, test.message) || e.Error() != e.Message {
			t.Errorf("%.40q: got %q, want %q", test.pattern, e.Message, test.message)
		}
		if e.Offset != test.offset && !strings.Contains(test.message, "nested") {
			t.Errorf("%.40q: offset %d, want %d", test.pattern, e.Offset, test.offset)
		}
	}
}

func TestPointer(t *testing.T) {
	long := strings.Repeat("é", 50) + "(" + strings.Repeat("b", 50)
	for _, test := range []struct {
		pattern string
		offset  int
		want    string
	}{
		{"a(b", 1, "a(b\n ^"},
		{"éé(b", 4, "éé(b\n  ^"},
		{"a\tb\n(", 4, "a␉b␊(\n    ^"},
		{"", 5, "\n^"},
		{long, 100, "…" + strings.Repeat("é", 30) + "(" + strings.Repeat("b", 29) + "…\n" + strings.Repeat(" ", 31) + "^"},
	} {
		e := &regex.Error{Offset: test.offset}
		if got := e.Pointer(test.pattern); got != test.want {
			t.Errorf("%q at %d: got\n%s\nwant\n%s", test.pattern, test.offset, got, test.want)
		}
	}
}

// hostile are patterns that are costly for naive engines to compile or to match.
var hostile = []string{
	"(a{1000}){1000}", `\w{10000}`, strings.Repeat("a", 1<<20), strings.Repeat("(", 1<<15), strings.Repeat("[", 1<<15),
	strings.Repeat("a*", 1<<14), strings.Repeat(`\w`, 1<<13), strings.Repeat(`\W`, 1<<13), strings.Repeat(`[\w]`, 1<<12),
	"(?i)" + strings.Repeat(`[\pL]`, 1<<12), "[" + strings.Repeat(`\W`, 1<<13) + "]", strings.Repeat(`\p{Greek}`, 3000),
	"(?i)" + strings.Repeat(`\p{Lu}`, 3000), "(a*)*b", "(a|aa)+$", "(?:a?){200}a{200}", "(x+x+)+y", "(.*)(.*)(.*)(.*)(.*)x",
	"[01]*1[01]{15}$", `(?:(?:){1000}){1000}`, "(?:a{0}){4000000000}", strings.Repeat("a|", 1<<14),
	strings.Repeat("(?i)", 1<<13), strings.Repeat("[a&&", 200), "[" + strings.Repeat("a&&", 1<<13) + "a]",
	`\b` + strings.Repeat("a?", 500),
}

// A hostile pattern is either refused or matched with bounded work. Work is counted: in bytes allocated for compiling,
// and in the steps of a Limit for matching.
func TestHostilePatternsTakeBoundedWork(t *testing.T) {
	const maxCompileBytes, maxSteps = 256 << 20, 1 << 22
	text := bytes.Repeat([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab wörd 0101101101110101\n"), 40)
	for i, pattern := range hostile {
		if testing.Short() && i%4 != 0 {
			continue
		}
		for _, dialect := range []regex.Dialect{regex.Ripgrep, regex.JavaScript} {
			options := regex.Options{
				Dialect: dialect, IgnoreCase: dialect == regex.JavaScript, Limit: regex.NewLimit(nil, maxSteps),
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := regex.Compile(pattern, options)
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > maxCompileBytes {
				t.Errorf("compiling %.30q allocated %d bytes", pattern, allocated)
			}
			if err != nil {
				continue
			}
			m := r.Matcher()
			m.Match(text)
			m.Lines(text, func(int, int) bool { return true })
			m.Release()
			if r.Exceeded() {
				t.Errorf("matching %.30q took more than %d steps", pattern, maxSteps)
			}
		}
	}
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		dialect             regex.Dialect
		pattern, text, want string
		start               int
	}{
		{regex.Ripgrep, "b+", "abbbc", "bbb", 1},
		{regex.Ripgrep, "b|bc|c", "xbc", "bc", 1},
		{regex.Ripgrep, `\w+`, "… привет мир", "привет", 4},
		{regex.Ripgrep, "c", "a\nbc\nc", "c", 3},
		{regex.Ripgrep, "^$", "a\n\nb", "", 2},
		{regex.Ripgrep, "b$", "b\nab", "b", 0},
		{regex.Ripgrep, "[^a]+", "aé\xff", "é", 1},
		{regex.JavaScript, `a\s+b`, "xa\n b", "a\n b", 1},
		{regex.JavaScript, "^b", "a\nb", "b", 2},
	} {
		r := compile(t, test.pattern, regex.Options{Dialect: test.dialect})
		m := r.Matcher()
		start, end, ok := m.Find([]byte(test.text))
		if !ok || start != test.start || test.text[start:end] != test.want {
			t.Errorf("%q in %q: got %d to %d, %v", test.pattern, test.text, start, end, ok)
		}
		if _, _, ok := m.Find([]byte("z")); ok && test.pattern != `\w+` && test.pattern != "[^a]+" {
			t.Errorf("%q is found in z", test.pattern)
		}
	}
}

// A long text is read at four positions at once and by the pattern's literals. It must give the same lines as
// matching each line by itself.
func TestLongTextsMatchLikeTheirLines(t *testing.T) {
	t.Parallel()
	text := string(searchFiles()["lf.md"])
	for range 4 {
		text += text
	}
	text += "project last"
	for _, pattern := range []string{
		"project", "(?i)PROJECT", "project|the|ing", `\bs\b`, "^[a-z]", "[a-z]$", `\d+-`, "^$", `\w{9}`, `(?i)мир`,
		`^\w+$|last`, `\B`, "zebra", `x|^$`, "[[:punct:]]$",
	} {
		r := compile(t, pattern, regex.Options{})
		m := r.Matcher()
		var want []string
		for line := range strings.SplitSeq(text, "\n") {
			if m.Match([]byte(line)) {
				want = append(want, line)
			}
		}
		if got := lines(r, text); !slices.Equal(got, want) {
			t.Errorf("%q: %s", pattern, firstDifference(got, want))
		}
	}
}

func TestLinesStopsWhenVisitReturnsFalse(t *testing.T) {
	for _, pattern := range []string{"a", "[ab]", "", `a\b`} {
		n := 0
		compile(t, pattern, regex.Options{}).Matcher().Lines(bytes.Repeat([]byte("a\n"), 5000), func(int, int) bool {
			n++
			return n < 3
		})
		if n != 3 {
			t.Errorf("%q: visit was called %d times, want 3", pattern, n)
		}
	}
}

func TestRegexServesManyGoroutines(t *testing.T) {
	t.Parallel()
	r := compile(t, `(?i)\bpro\w+t\b|мир`, regex.Options{})
	text := string(searchFiles()["lf.md"])
	want := lines(r, text)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if got := lines(r, text); !slices.Equal(got, want) {
					t.Error("a concurrent matcher found other lines")
				}
			}
		})
	}
	all.Wait()
}

func ExampleError_Pointer() {
	_, err := regex.Compile("a(b|c", regex.Options{})
	var e *regex.Error
	if errors.As(err, &e) {
		fmt.Println(e)
		fmt.Println(e.Pointer("a(b|c"))
	}
	// Output:
	// unclosed group
	// a(b|c
	//  ^
}

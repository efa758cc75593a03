//go:build unix

package app

import (
	"fmt"
	"strings"
)

// noteBombs are notes that are cheap to send and expensive to parse.
func noteBombs() map[string]string {
	all := map[string]string{}
	for name, yaml := range yamlBombs() {
		all["yaml "+name] = "---\n" + yaml + "\n---\nbody a\n"
	}
	for name, text := range markdownBombs() {
		all["markdown "+name] = text
	}
	return all
}

func yamlBombs() map[string]string {
	return map[string]string{
		"alias tree":       aliasTree("*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d"),
		"alias merges":     aliasMerges(),
		"alias long":       "a: &a " + strings.Repeat("x", 20_000) + "\nb: [" + strings.Repeat("*a, ", 5_000) + "*a]",
		"alias of itself":  "a: &a [*a, *a]\nb: &b {c: *b}",
		"anchors":          numbered("k%d: &n%d v", 3_000),
		"keys":             numbered("key%d: %d", 50_000),
		"keys same":        strings.Repeat("same: 1\n", 50_000),
		"key long":         strings.Repeat("k", 1<<20) + ": 1",
		"key complex":      strings.Repeat("? ", 20_000) + "a",
		"depth flow":       "a: " + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000),
		"depth flow open":  "a: " + strings.Repeat("{a: ", 30_000),
		"depth block":      staircase(1_000, "a:"),
		"depth dashes":     "a:\n" + strings.Repeat("- ", 30_000) + "x",
		"flow long":        "a: [" + strings.Repeat("a, ", 300_000) + "a]",
		"flow maps":        "a: [" + strings.Repeat("{a: 1}, ", 100_000) + "{}]",
		"scalar long":      "a: " + strings.Repeat("word ", 500_000),
		"scalar block":     "a: |\n" + strings.Repeat("  line of text\n", 150_000),
		"scalar folded":    "a: >-\n" + strings.Repeat("  line\n\n", 200_000),
		"scalar quoted":    `a: "` + strings.Repeat(`\u0041`, 200_000) + `"`,
		"scalar open":      `a: "` + strings.Repeat("x\n ", 300_000),
		"number long":      "a: " + strings.Repeat("9", 1<<20),
		"tags":             numbered("k%d: !!binary aGVsbG8=", 1_000),
		"tag long":         "a: !" + strings.Repeat("t", 1<<20) + " x",
		"comments":         strings.Repeat("# comment\n", 150_000) + "a: 1",
		"documents":        strings.Repeat("a: 1\n...\n", 50_000),
		"directives":       strings.Repeat("%TAG ! tag:x,2000:\n", 50_000),
		"colons":           "a: " + strings.Repeat(": ", 300_000),
		"quotes":           "a: " + strings.Repeat("'", 500_000),
		"tabs":             strings.Repeat("\t", 500_000) + "a: 1",
		"list of tags":     "tags: [" + strings.Repeat("a/b/c, ", 200_000) + "a]",
		"aliases of note":  "aliases:\n" + strings.Repeat("- name\n", 200_000),
		"indent growing":   staircase(1_000, "- a:"),
		"merge of nothing": strings.Repeat("<<: {}\n", 30_000),
	}
}

// aliasTree multiplies by nine with each of nine lines.
func aliasTree(line string) string {
	var text strings.Builder
	text.WriteString("a0: &a0 [x]\n")
	for level := 1; level < 10; level++ {
		from := strings.ReplaceAll(line, "%d", fmt.Sprint(level-1))
		fmt.Fprintf(&text, "a%d: &a%d [%s]\n", level, level, from)
	}
	return text.String()
}

// aliasMerges merges maps into maps, each twice as large as the last.
func aliasMerges() string {
	var text strings.Builder
	text.WriteString("m0: &m0 {a: 1}\n")
	for level := 1; level < 90; level++ {
		fmt.Fprintf(&text, "m%d: &m%d {<<: [*m%d, *m%d], k%d: *m%d}\n", level, level, level-1, level-1, level, level-1)
	}
	return text.String()
}

// numbered repeats a line with its number in place of %d.
func numbered(line string, count int) string {
	var text strings.Builder
	for i := range count {
		text.WriteString(strings.ReplaceAll(line, "%d", fmt.Sprint(i)) + "\n")
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// staircase repeats a line, each time indented further.
func staircase(steps int, line string) string {
	var text strings.Builder
	for i := range steps {
		text.WriteString(strings.Repeat(" ", i) + line + "\n")
	}
	return text.String() + strings.Repeat(" ", steps) + "x"
}

func markdownBombs() map[string]string {
	return map[string]string{
		"quotes":          strings.Repeat(">", 50_000) + " a",
		"quotes growing":  growing(">", 1_000),
		"lists":           staircase(1_400, "- a"),
		"list markers":    strings.Repeat("- ", 100_000) + "a",
		"list numbers":    strings.Repeat("1. ", 100_000) + "a",
		"brackets open":   strings.Repeat("[", 300_000),
		"brackets closed": strings.Repeat("]", 300_000),
		"brackets both":   strings.Repeat("[", 100_000) + "a" + strings.Repeat("]", 100_000),
		"link open":       strings.Repeat("[a](", 150_000),
		"link nested":     strings.Repeat("[a](<", 100_000) + strings.Repeat(">)", 100_000),
		"wikilink open":   strings.Repeat("[[", 200_000),
		"wikilinks":       numbered("[[Note %d#Heading|alias]]", 60_000),
		"wikilinks same":  strings.Repeat("[[Plain]] ", 150_000),
		"embeds open":     strings.Repeat("![[a", 150_000),
		"images":          strings.Repeat("![", 300_000),
		"references":      numbered("[r%d]: https://example.com/%d \"t\"", 40_000),
		"references use":  strings.Repeat("[a][b]", 150_000) + "\n\n[b]: c",
		"footnotes":       numbered("a[^%d]\n\n[^%d]: b", 20_000),
		"stars":           strings.Repeat("*", 500_000),
		"stars and bars":  strings.Repeat("*a _b ", 150_000),
		"stars paired":    strings.Repeat("**a*", 150_000),
		"backticks":       growing("`", 1_200),
		"fences":          strings.Repeat("```\n~~~\n", 80_000),
		"fence open":      "```" + strings.Repeat("`", 500_000) + "\n" + strings.Repeat("a\n", 100_000),
		"headings":        numbered("# Heading %d", 60_000),
		"headings same":   strings.Repeat("## Same\n", 100_000),
		"hashes":          strings.Repeat("#", 1<<20),
		"tags":            strings.Repeat("#a/b/c ", 150_000),
		"tag deep":        "#" + strings.Repeat("a/", 300_000) + "a",
		"html":            strings.Repeat("<div>", 150_000),
		"html open":       strings.Repeat("<a href='", 120_000),
		"html comments":   strings.Repeat("<!--", 200_000),
		"comments":        strings.Repeat("%%", 300_000) + "a",
		"math":            strings.Repeat("$$a$", 200_000),
		"highlights":      strings.Repeat("==a=", 200_000),
		"table wide":      strings.Repeat("|a", 100_000) + "|\n" + strings.Repeat("|-", 100_000) + "|\n" + strings.Repeat("|b", 100_000) + "|",
		"table long":      "|a|b|\n|-|-|\n" + strings.Repeat("|[[c\\|d]]|e|\n", 80_000),
		"callouts":        growing("> [!note]", 500),
		"block ids":       numbered("text ^id%d", 60_000),
		"tasks":           strings.Repeat("- [ ] a\n", 150_000),
		"task fields":     "- [ ] " + strings.Repeat("b", 2<<20) + strings.Repeat(" 📅 2026-01-01 🆔 a #t", 300),
		"task tags":       "- [ ] a" + strings.Repeat(" #t", 200_000),
		"task ids":        strings.Repeat("- [ ] a 🆔 a ⛔ a,a,a\n", 1_000),
		"rules":           strings.Repeat("---\n", 300_000),
		"setext":          strings.Repeat("a\n===\n", 150_000),
		"escapes":         strings.Repeat("\\[", 400_000),
		"entities":        strings.Repeat("&#x41;", 150_000),
		"urls":            strings.Repeat("https://a.b/c?d=e&f ", 60_000),
		"line long":       strings.Repeat("word ", 600_000),
		"lines empty":     strings.Repeat("\n", 2<<20),
		"returns":         strings.Repeat("\r", 1<<20),
		"base64 image":    "![](data:image/png;base64," + strings.Repeat("QUFB", 700_000) + ")",
		"base64 embeds":   strings.Repeat("![a](data:image/gif;base64,R0lGODlhAQABAAAAACw=) ", 40_000),
		"marks":           "e" + strings.Repeat("\u0301", 300_000),
		"emoji":           strings.Repeat("👩\u200d👩\u200d", 50_000),
		"bidi":            strings.Repeat("\u202e\u2066a", 150_000),
	}
}

// growing makes lines that repeat a text once, twice and so on.
func growing(text string, lines int) string {
	var all strings.Builder
	for i := range lines {
		all.WriteString(strings.Repeat(text, i+1) + " a\n")
	}
	return all.String()
}

// canvasBombs are canvases that rename_note has to read.
func canvasBombs() map[string]string {
	node := `{"id":"%d","type":"file","file":"Plain.md","x":0,"y":0,"width":1,"height":1}`
	return map[string]string{
		"deep.canvas":      `{"nodes":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + `}`,
		"deep open.canvas": `{"nodes":` + strings.Repeat(`[{"a":`, 60_000),
		"nodes.canvas":     `{"nodes":[` + strings.ReplaceAll(numbered(node, 5_000), "\n", ",") + `],"edges":[]}`,
		"edges.canvas":     `{"nodes":[],"edges":[` + strings.Repeat(`{"id":"a","fromNode":"a","toNode":"a"},`, 30_000) + `{}]}`,
		"same keys.canvas": `{` + strings.Repeat(`"nodes":[],`, 60_000) + `"nodes":[]}`,
		"text.canvas":      `{"nodes":[{"id":"1","type":"text","text":"` + strings.Repeat(`[[Plain]] \n`, 20_000) + `"}]}`,
		"number.canvas":    `{"nodes":[{"x":` + strings.Repeat("9", 1<<20) + `}]}`,
		"escapes.canvas":   `{"nodes":[{"type":"file","file":"` + strings.Repeat(`\u0050`, 200_000) + `"}]}`,
	}
}

// patternBombs are regular expressions that take forever in a matcher that backtracks, or all memory in one that expands
// repetitions.
func patternBombs() map[string]string {
	return map[string]string{
		"plus of plus":        `(a+)+$`,
		"star of same":        `(a|a)*$`,
		"star of overlapping": `(a|aa)+$`,
		"star of star":        `(.*)*x$`,
		"star of stars":       `((a*)*)*b`,
		"words":               `^(\w+\s?)*$`,
		"mail":                `^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$`,
		"equals":              `(?:(?:"|'|\]|\}|\\|\d|(?:nan|infinity|true|false|null|undefined|symbol|math)|` + "`" + `|\-|\+)+[)]*;?((?:\s|-|~|!|\{\}|\|\||\+)*.*(?:.*=.*)))`,
		"dots":                strings.Repeat(".*", 100) + "=" + strings.Repeat(".*", 100) + "$",
		"counted dots":        `(.*a){30}b`,
		"maybe":               strings.Repeat("a?", 400) + strings.Repeat("a", 400),
		"maybe counted":       `(a?){500}a{500}`,
		"repeat":              `a{1000}{1000}`,
		"repeat of repeat":    `((a{0,100}){0,100}){0,100}`,
		"repeat large":        `a{2147483647}`,
		"repeat endless":      `(?:a{1,1000}){1,}{1,1000}`,
		"repeat class":        `\p{L}{1000}\p{N}{1000}`,
		"repeat unicode":      `(?i)[\p{L}\p{M}]{200}x`,
		"gap":                 `a.{0,10000}b.{0,10000}c`,
		"stars":               "a" + strings.Repeat("*", 100_000),
		"groups":              strings.Repeat("(", 100_000) + "a" + strings.Repeat(")", 100_000),
		"groups open":         strings.Repeat("(", 100_000),
		"groups starred":      strings.Repeat("(", 900) + "a" + strings.Repeat(")*", 900),
		"groups empty":        strings.Repeat("()", 100_000),
		"groups named":        numbered("(?P<g%d>a)", 3_000),
		"classes":             strings.Repeat("[", 100_000),
		"classes nested":      strings.Repeat("[a&&", 10_000) + "b" + strings.Repeat("]", 10_000),
		"classes differing":   strings.Repeat("[^", 5_000) + "a" + strings.Repeat("]", 5_000),
		"class long":          "[" + strings.Repeat(`\p{L}`, 20_000) + "]",
		"alternatives":        strings.ReplaceAll(numbered("word%d", 20_000), "\n", "|"),
		"alternatives empty":  strings.Repeat("|", 200_000),
		"alternatives folded": "(?i)" + strings.ReplaceAll(numbered("ſ%dk", 5_000), "\n", "|"),
		"alternatives dots":   strings.ReplaceAll(numbered(".*%d.*", 1_000), "\n", "|"),
		"flags":               strings.Repeat("(?i)", 100_000) + "a",
		"flags nested":        strings.Repeat("(?i:", 50_000) + "a" + strings.Repeat(")", 50_000),
		"boundaries":          strings.Repeat(`\b`, 100_000) + "a",
		"anchors":             strings.Repeat("^", 100_000) + strings.Repeat("$", 100_000),
		"literal":             strings.Repeat("a", 1<<20),
		"literal folded":      "(?i)" + strings.Repeat("k", 50_000),
		"escapes":             strings.Repeat(`\x{1F600}`, 50_000),
		"escape large":        `\x{` + strings.Repeat("F", 100_000) + `}`,
		"back reference":      `(a+)\1+$`,
		"look ahead":          `(?=(a+))a*b\1`,
		"empty":               `(?:)*`,
		"states":              `(a|b)*a(a|b){18}`,
		"states unicode":      `(\w|é)*é(\w|é){14}$`,
		"comments":            "(?x)" + strings.Repeat("# a\n", 100_000) + "a",
	}
}

func globBombs() map[string]string {
	return map[string]string{
		"stars":            strings.Repeat("*a", 200) + "b",
		"stars many":       strings.Repeat("*", 100_000),
		"double stars":     strings.Repeat("**/", 500) + "x.md",
		"double stars a":   strings.Repeat("**/*a", 200),
		"questions":        strings.Repeat("?", 200_000),
		"questions stars":  strings.Repeat("?*", 500) + "x",
		"braces":           strings.Repeat("{a,b}", 40),
		"braces nested":    strings.Repeat("{a,", 20_000) + "b" + strings.Repeat("}", 20_000),
		"braces open":      strings.Repeat("{", 100_000),
		"braces many":      "{" + strings.Repeat("a,", 100_000) + "b}",
		"braces of stars":  strings.Repeat("{*,**}", 30),
		"classes":          strings.Repeat("[a-z]", 20_000),
		"classes open":     strings.Repeat("[", 200_000),
		"classes negated":  strings.Repeat("[!a-z]*", 300),
		"class long":       "[" + strings.Repeat("a-z", 100_000) + "]",
		"escapes":          strings.Repeat(`\*`, 100_000),
		"bangs":            strings.Repeat("!", 100_000) + "a",
		"slashes":          strings.Repeat("/", 500_000),
		"dots":             strings.Repeat("../", 50_000),
		"literal":          strings.Repeat("a", 1<<20),
		"lines":            strings.Repeat("a\n", 50_000),
		"many alternative": "{" + strings.ReplaceAll(numbered("*%d*", 5_000), "\n", ",") + "}",
	}
}

// queryBombs are searches that nest, repeat or never end.
func queryBombs() map[string]string {
	return map[string]string{
		"parentheses":      strings.Repeat("(", 100_000) + "a" + strings.Repeat(")", 100_000),
		"parentheses open": strings.Repeat("(", 300_000),
		"nots":             strings.Repeat("-", 300_000) + "a",
		"nots nested":      strings.Repeat("-(a ", 50_000) + strings.Repeat(")", 50_000),
		"ors":              strings.Repeat("a OR ", 100_000) + "a",
		"ors nested":       strings.Repeat("(a OR ", 50_000) + "b" + strings.Repeat(")", 50_000),
		"words":            numbered("word%d", 30_000),
		"words same":       strings.Repeat("a ", 200_000),
		"word long":        strings.Repeat("a", 1<<20),
		"quotes":           strings.Repeat(`"`, 300_001),
		"task groups":      strings.Repeat("group by tags;", 20_000),
		"task nots":        strings.Repeat("NOT (", 50_000) + "done" + strings.Repeat(")", 50_000),
		"task filters":     strings.Repeat("not done;", 30_000),
		"phrases":          strings.Repeat(`"a b" `, 50_000),
		"phrase long":      `"` + strings.Repeat("a ", 200_000) + `"`,
		"operators":        strings.Repeat("line:(", 50_000) + "a" + strings.Repeat(")", 50_000),
		"operators mixed":  strings.Repeat("section:(block:(line:(task:(", 10_000),
		"operators empty":  strings.Repeat("tag: file: path: ", 50_000),
		"properties":       strings.Repeat("[a:", 50_000) + strings.Repeat("]", 50_000),
		"properties many":  strings.Repeat("[a:b] ", 50_000),
		"property ranges":  strings.Repeat("[a:>1] ", 50_000),
		"regexes":          strings.Repeat("/(a+)+$/ ", 2_000),
		"regex open":       "/" + strings.Repeat("(a", 100_000),
		"slashes":          strings.Repeat("/", 300_000),
		"tags":             strings.Repeat("tag:#a/b ", 50_000),
		"tag deep":         "tag:#" + strings.Repeat("a/", 200_000),
		"unicode":          strings.Repeat("é\u0301", 200_000),
		"letters":          "a e o",
		"nulls":            strings.Repeat("\u0000", 100_000),
		"escapes":          strings.Repeat(`\`, 300_000),
		"heading path":     strings.Repeat("a > ", 100_000) + "a",
	}
}

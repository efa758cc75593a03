package dataview

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"obsidian-mcp/internal/query/value"
)

// texts are the functions of texts.
func texts() []*overloaded {
	plain := func(name string, change func(string) string) *overloaded {
		return define(name).on("string", with(func(arguments []value.Value) value.Value { return change(asText(arguments[0])) })).
			null("null").over(1, 0)
	}
	test := func(name string, holds func(text, part string) bool) *overloaded {
		return define(name).on("string string", with(func(arguments []value.Value) value.Value {
			return holds(asText(arguments[0]), asText(arguments[1]))
		})).null("null *", "* null").over(2, 0, 1)
	}
	cut := func(name string, run function) *overloaded {
		return define(name).on("string number", run).on("string number string", run).on("string number number", run).
			null("null *", "* null", "null * *", "* null *", "* * null").over(2, 0, 1).over(3, 0, 1, 2)
	}
	isNever := with(func([]value.Value) value.Value { return false })
	return []*overloaded{
		define("regextest").on("string string", matches(false)).on("null *", isNever).on("* null", isNever).over(2, 0, 1),
		define("regexmatch").on("string string", matches(true)).on("null *", isNever).on("* null", isNever).over(2, 0, 1),
		define("regexreplace").on("string string string", replaceByPattern).null("null * *", "* null *", "* * null").over(3, 0, 1, 2),
		define("replace").on("string string string", replaceText).null("null * *", "* null *", "* * null").over(3, 0, 1, 2),
		plain("lower", strings.ToLower),
		plain("upper", func(text string) string { return strings.ToUpper(strings.ReplaceAll(text, "ß", "SS")) }),
		define("split").on("string string", split).on("string string number", split).
			null("null *", "* null", "* * null", "* null *", "null * *"),
		test("startswith", strings.HasPrefix), test("endswith", strings.HasSuffix),
		define("containsword").on("string string", containsWord).null("null *", "* null").over(2, 0, 1),
		cut("padleft", padded(func(text, padding string) string { return padding + text })),
		cut("padright", padded(func(text, padding string) string { return text + padding })),
		cut("substring", with(substring)),
		cut("truncate", with(truncated)),
	}
}

func containsText(text, part string) bool { return strings.Contains(text, part) }

func containsFolded(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func trimmed(text string) string { return strings.TrimSpace(text) }

// joinedTexts joins the texts of values. It fails if that would be too long.
func (env *environment) joinedTexts(list value.List, separator string) (string, error) {
	var out strings.Builder
	for i, element := range list {
		if i > 0 {
			out.WriteString(separator)
		}
		out.WriteString(Text(element))
		if out.Len() > value.MaxText {
			return "", value.ErrTooMuch
		}
	}
	return out.String(), env.spend(out.Len() / value.BytesPerStep)
}

// pattern compiles a regular expression of JavaScript. Those that only backtracking can match are refused.
func pattern(source string) (*regexp.Regexp, error) {
	compiled, err := regexp.Compile(source)
	switch {
	case err == nil:
		return compiled, nil
	case lookAround.MatchString(source):
		return nil, fmt.Errorf("the pattern %q looks around or back, which is not supported here", source)
	}
	return nil, fmt.Errorf("the pattern %q is not valid", source)
}

var lookAround = regexp.MustCompile(`\(\?<?[=!]|\\[1-9]|\\k<`)

func matches(isWhole bool) function {
	return func(env *environment, arguments []value.Value) (value.Value, error) {
		source, text := asText(arguments[0]), asText(arguments[1])
		if isWhole && !strings.HasPrefix(source, "^") && !strings.HasSuffix(source, "$") {
			source = "^" + source + "$"
		}
		compiled, err := pattern(source)
		if err != nil {
			return nil, err
		}
		return compiled.MatchString(text), env.spend(len(source) + len(text)/value.BytesPerStep)
	}
}

func containsWord(env *environment, arguments []value.Value) (value.Value, error) {
	compiled, err := pattern(`(?i)\b` + regexp.QuoteMeta(asText(arguments[1])) + `\b`)
	if err != nil {
		return nil, err
	}
	return compiled.MatchString(asText(arguments[0])), env.spend(len(asText(arguments[1])))
}

func replaceText(env *environment, arguments []value.Value) (value.Value, error) {
	text, part, by := asText(arguments[0]), asText(arguments[1]), asText(arguments[2])
	result := ""
	if count := strings.Count(text, part); float64(count)*float64(len(by)) > value.MaxText {
		return nil, value.ErrTooMuch
	}
	if part == "" {
		units := strings.Split(text, "")
		result = strings.Join(units, by)
	} else {
		result = strings.ReplaceAll(text, part, by)
	}
	return result, env.spend(len(result) / value.BytesPerStep)
}

func replaceByPattern(env *environment, arguments []value.Value) (value.Value, error) {
	text := asText(arguments[0])
	compiled, err := pattern(asText(arguments[1]))
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	at := 0
	for _, found := range compiled.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(text[at:found[0]])
		out.WriteString(expanded(asText(arguments[2]), text, found, compiled))
		if out.Len() > value.MaxText {
			return nil, value.ErrTooMuch
		}
		at = found[1]
	}
	out.WriteString(text[at:])
	return out.String(), env.spend(out.Len() / value.BytesPerStep)
}

// expanded fills the groups of a match into a replacement: $1, $&, $<name>, and $$ for a dollar.
func expanded(replacement, text string, found []int, compiled *regexp.Regexp) string {
	var out strings.Builder
	group := func(n int) {
		if found[2*n] >= 0 {
			out.WriteString(text[found[2*n]:found[2*n+1]])
		}
	}
	for i := 0; i < len(replacement); i++ {
		rest := replacement[i:]
		if rest[0] != '$' || len(rest) == 1 {
			out.WriteByte(rest[0])
			continue
		}
		digits := min(2, countDigits(rest[1:]))
		number := 0
		for ; digits > 0; digits-- {
			if _, err := fmt.Sscan(rest[1:1+digits], &number); err == nil && number > 0 && number <= compiled.NumSubexp() {
				break
			}
		}
		name, _, hasName := strings.Cut(strings.TrimPrefix(rest, "$<"), ">")
		switch {
		case digits > 0:
			group(number)
			i += digits
		case rest[1] == '$':
			out.WriteByte('$')
			i++
		case rest[1] == '&':
			group(0)
			i++
		case rest[1] == '<' && hasName && compiled.SubexpIndex(name) > 0:
			group(compiled.SubexpIndex(name))
			i += len("<") + len(name) + len(">")
		default:
			out.WriteByte('$')
		}
	}
	return out.String()
}

// split cuts a text where a pattern matches. What the groups of the pattern match is kept between the parts.
func split(env *environment, arguments []value.Value) (value.Value, error) {
	text := asText(arguments[0])
	compiled, err := pattern(asText(arguments[1]))
	if err != nil {
		return nil, err
	}
	parts := value.List{}
	at := 0
	for _, found := range compiled.FindAllStringSubmatchIndex(text, -1) {
		if found[0] >= len(text) || found[1] == at {
			continue
		}
		parts = append(parts, text[at:found[0]])
		for group := 1; group <= compiled.NumSubexp(); group++ {
			if found[2*group] < 0 {
				parts = append(parts, "")
			} else {
				parts = append(parts, text[found[2*group]:found[2*group+1]])
			}
		}
		at = found[1]
	}
	if text != "" || !compiled.MatchString("") {
		parts = append(parts, text[at:])
	}
	if len(arguments) > 2 {
		if most := asNumber(arguments[2]); most >= 0 && most < float64(len(parts)) {
			parts = parts[:int(most)]
		}
	}
	return parts, env.spend(len(parts))
}

// padded makes a text at least so long.
func padded(join func(text, padding string) string) function {
	return func(env *environment, arguments []value.Value) (value.Value, error) {
		text, padding := asText(arguments[0]), " "
		if len(arguments) > 2 {
			padding = asText(arguments[2])
		}
		if asNumber(arguments[1]) > value.MaxText {
			return nil, value.ErrTooMuch
		}
		missing := int(asNumber(arguments[1])) - value.UTF16Len(text)
		if missing <= 0 || padding == "" {
			return text, nil
		}
		if err := env.spend(missing / value.BytesPerStep); err != nil {
			return nil, err
		}
		unit := value.UTF16(padding)
		filled := value.UTF16(strings.Repeat(padding, missing/len(unit)+1))[:missing]
		return join(text, value.FromUTF16(filled)), nil
	}
}

func substring(arguments []value.Value) value.Value {
	units := value.UTF16(asText(arguments[0]))
	bound := func(v value.Value) int {
		n, ok := v.(float64)
		if !ok || !(n > 0) {
			return 0
		}
		return int(min(n, float64(len(units))))
	}
	from, to := bound(arguments[1]), len(units)
	if len(arguments) > 2 {
		to = bound(arguments[2])
	}
	if from > to {
		from, to = to, from
	}
	return value.FromUTF16(units[from:to])
}

func truncated(arguments []value.Value) value.Value {
	units, suffix := value.UTF16(asText(arguments[0])), "..."
	if len(arguments) > 2 {
		suffix = asText(arguments[2])
	}
	room := asNumber(arguments[1]) - float64(value.UTF16Len(suffix))
	if float64(len(units)) <= room {
		return asText(arguments[0])
	}
	return value.FromUTF16(units[:int(max(0, room))]) + suffix
}

// plainText removes the marks of Markdown from a text, and keeps what links show.
func plainText(text string) string {
	text = wikiLink.ReplaceAllString(text, "$1")
	if at := wikiLinkWithText.FindStringSubmatchIndex(text); at != nil {
		text = text[:at[0]] + text[at[2]:at[3]] + text[at[1]:]
	}
	for _, rule := range markdownRules {
		text = rule.pattern.ReplaceAllString(text, rule.by)
	}
	return strings.TrimFunc(text, unicode.IsSpace)
}

var (
	wikiLink         = regexp.MustCompile(`\[\[([^|]*?)\]\]`)
	wikiLinkWithText = regexp.MustCompile(`\[\[.*?\|(.*?)\]\]`)
)

var markdownRules = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`(?m)^(-\s*?|\*\s*?|_\s*?){3,}\s*`), ""},
	{regexp.MustCompile(`(?m)^([\s\t]*)([*\-+]|\d+\.)\s+`), "$1"},
	{regexp.MustCompile(`(?m)^={3,}\s*$`), ""},
	{regexp.MustCompile("~{3}.*\n"), ""}, {regexp.MustCompile(`~~`), ""}, {regexp.MustCompile("```.*\n"), ""},
	{regexp.MustCompile(`<[^>]*>`), ""},
	{regexp.MustCompile(`!\[([^\]]*)\][\[(].*?[\])]`), "$1"},
	{regexp.MustCompile(`\[([^\]]*)\]\s?[\[(].*?[\])]`), "$1"},
	{regexp.MustCompile(`(?m)^\s{0,3}>\s?`), ""},
	{regexp.MustCompile(`(?m)^(\n)?\s{0,}#{1,6}\s*(.*?)\s*#*\s*$`), "$1$2"},
	{regexp.MustCompile(`([*]+)(\S)(.*?\S)??([*]+)`), "$2$3"},
	{regexp.MustCompile(`(^|\W)([_]+)(\S)(.*?\S)??([_]+)($|\W)`), "$1$3$4$6"},
	{regexp.MustCompile("(`{3,})(.*?)(`{3,})"), "$2"},
	{regexp.MustCompile("`(.+?)`"), "$1"},
	{regexp.MustCompile(`~(.*?)~`), "$1"},
}

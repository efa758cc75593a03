package template

import (
	"regexp"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/moment"
)

// expression reads an expression of Templater: texts, calls of functions that it knows, and + between them.
type expression struct {
	rest   string
	values Values
}

func (p *expression) skipSpace() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *expression) atEnd() bool {
	p.skipSpace()
	return p.rest == ""
}

// take reads a sign if it comes next.
func (p *expression) take(sign string) bool {
	p.skipSpace()
	rest, ok := strings.CutPrefix(p.rest, sign)
	if ok {
		p.rest = rest
	}
	return ok
}

// sum reads values with + between them.
func (p *expression) sum() (string, bool) {
	var sum strings.Builder
	for {
		value, ok := p.value()
		if !ok {
			return "", false
		}
		sum.WriteString(value)
		if !p.take("+") {
			return sum.String(), true
		}
	}
}

func (p *expression) value() (string, bool) {
	p.skipSpace()
	if p.rest != "" && strings.Contains("\"'`", p.rest[:1]) {
		return p.text()
	}
	if !p.take("tp.") {
		return "", false
	}
	name := path.FindString(p.rest)
	p.rest = p.rest[len(name):]
	if property, isProperty := strings.CutPrefix(name, "frontmatter."); isProperty {
		return p.property(property)
	}
	if name == "frontmatter" {
		return p.indexed()
	}
	if name == "file.title" {
		return p.values.Title, true
	}
	arguments, ok := p.arguments()
	if !ok || functions[name] == nil {
		return "", false
	}
	return functions[name](p.values, arguments)
}

var path = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*`)

// indexed reads frontmatter["key"].
func (p *expression) indexed() (string, bool) {
	if !p.take("[") {
		return "", false
	}
	p.skipSpace()
	key, ok := p.text()
	if !ok || !p.take("]") {
		return "", false
	}
	return p.property(key)
}

func (p *expression) property(name string) (string, bool) {
	if p.values.Property == nil {
		return "", false
	}
	return p.values.Property(name)
}

// text reads a text in quotes.
func (p *expression) text() (string, bool) {
	if p.rest == "" || !strings.Contains("\"'`", p.rest[:1]) {
		return "", false
	}
	quote := p.rest[0]
	var text strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == quote:
			p.rest = p.rest[i+1:]
			value := text.String()
			return value, quote != '`' || !strings.Contains(value, "${") // code
		case c == '\\' && i+1 < len(p.rest):
			i++
			escaped, known := map[byte]byte{'n': '\n', 't': '\t', '\\': '\\', '"': '"', '\'': '\'', '`': '`'}[p.rest[i]]
			if !known {
				return "", false
			}
			text.WriteByte(escaped)
		default:
			text.WriteByte(c)
		}
	}
	return "", false
}

// argument is a text, a number or a truth value.
type argument struct {
	text   string
	number int
	kind   argumentKind
}

type argumentKind int

const (
	isText argumentKind = iota
	isNumber
	isBool
)

var numeral = regexp.MustCompile(`^[+-]?\d{1,9}`)

// arguments reads the arguments of a call, in parentheses.
func (p *expression) arguments() ([]argument, bool) {
	if !p.take("(") {
		return nil, false
	}
	var all []argument
	for !p.take(")") {
		if len(all) > 0 && !p.take(",") {
			return nil, false
		}
		p.skipSpace()
		var next argument
		switch digits := numeral.FindString(p.rest); {
		case digits != "":
			number, _ := strconv.Atoi(digits) // few enough digits
			next, p.rest = argument{number: number, kind: isNumber}, p.rest[len(digits):]
		case p.take("true"):
			next = argument{number: 1, kind: isBool}
		case p.take("false"):
			next = argument{kind: isBool}
		default:
			text, ok := p.sum()
			if !ok {
				return nil, false
			}
			next = argument{text: text}
		}
		all = append(all, next)
	}
	return all, true
}

// functions are the functions of Templater that only make text, by their names.
var functions = map[string]func(Values, []argument) (string, bool){
	"date.now": func(v Values, given []argument) (string, bool) { return v.date(given, "") },
	"date.tomorrow": func(v Values, given []argument) (string, bool) {
		return v.format(v.Now.Add(1, moment.Day), given, defaultDate)
	},
	"date.yesterday": func(v Values, given []argument) (string, bool) {
		return v.format(v.Now.Add(-1, moment.Day), given, defaultDate)
	},
	"date.weekday": func(v Values, given []argument) (string, bool) { return v.date(given, "weekday") },
	"file.folder": func(v Values, given []argument) (string, bool) {
		switch {
		case len(given) == 0 || len(given) == 1 && given[0].kind == isBool && given[0].number == 0:
			return v.Folder[strings.LastIndex(v.Folder, "/")+1:], true
		case len(given) == 1 && given[0].kind == isBool:
			return v.Folder, true
		}
		return "", false
	},
	"file.creation_date": func(v Values, given []argument) (string, bool) {
		return v.format(v.Created, given, defaultDate+" "+defaultTime)
	},
	"file.last_modified_date": func(v Values, given []argument) (string, bool) {
		return v.format(v.Modified, given, defaultDate+" "+defaultTime)
	},
}

// format writes a time in the format that is the only argument, if there is one.
func (v Values) format(at moment.Time, given []argument, format string) (string, bool) {
	if len(given) > 1 || len(given) == 1 && given[0].kind != isText {
		return "", false
	}
	if len(given) == 1 {
		format = given[0].text
	}
	return v.Locale.Format(at, format), true
}

// date writes a date by its arguments: a format, an offset, and the date that counts instead of now with its format. For
// weekdays, the offset is a day of that date's week.
func (v Values) date(given []argument, kind string) (string, bool) {
	if len(given) > 4 {
		return "", false
	}
	format, at := defaultDate, v.Now
	if len(given) > 0 {
		if given[0].kind != isText {
			return "", false
		}
		format = given[0].text
	}
	if len(given) > 2 {
		referenceFormat := defaultDate
		if len(given) > 3 {
			referenceFormat = given[3].text
		}
		read, ok := v.Locale.Parse(given[2].text, referenceFormat, v.Now)
		if !ok || given[2].kind != isText {
			return "", false
		}
		at = read
	}
	switch {
	case kind == "weekday" && (len(given) < 2 || given[1].kind != isNumber):
		return "", false
	case kind == "weekday":
		at.Date = v.Locale.Weeks.Start(at.Date).AddDays(given[1].number)
	case len(given) > 1 && given[1].kind == isNumber:
		at = at.Add(given[1].number, moment.Day)
	case len(given) > 1:
		shifted, ok := addDuration(at, given[1].text)
		if !ok {
			return "", false
		}
		at = shifted
	}
	return v.Locale.Format(at, format), true
}

var duration = regexp.MustCompile(`^([+-]?)P(?:([+-]?\d{1,6})Y)?(?:([+-]?\d{1,6})M)?(?:([+-]?\d{1,6})W)?(?:([+-]?\d{1,6})D)?(?:T(?:([+-]?\d{1,6})H)?(?:([+-]?\d{1,6})M)?(?:([+-]?\d{1,6})S)?)?$`)

// addDuration adds a duration of ISO 8601, such as P1W or P-1M.
func addDuration(at moment.Time, text string) (moment.Time, bool) {
	found := duration.FindStringSubmatch(text)
	if found == nil || strings.Trim(text, "+-PT") == "" {
		return at, false
	}
	for i, unit := range []moment.Unit{moment.Year, moment.Month, moment.Week, moment.Day, moment.Hour, moment.Minute, moment.Second} {
		n, _ := strconv.Atoi(found[i+2]) // "" is 0
		if found[1] == "-" {
			n = -n
		}
		at = at.Add(n, unit)
	}
	return at, true
}

package bases

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"obsidian-mcp/internal/query/value"
)

// pattern is a regular expression.
type pattern struct {
	*regexp.Regexp
	source string
	global bool
}

// newPattern compiles /source/flags.
func newPattern(text string) (pattern, error) {
	end := strings.LastIndexByte(text, '/')
	source, flags := text[1:end], text[end+1:]
	prefix := ""
	for _, flag := range flags {
		switch flag {
		case 'i', 'm', 's':
			prefix += string(flag)
		case 'g', 'u', 'y':
		default:
			return pattern{}, fmt.Errorf("a regular expression has no flag %q", string(flag))
		}
	}
	if prefix != "" {
		prefix = "(?" + prefix + ")"
	}
	compiled, err := regexp.Compile(prefix + source)
	if err != nil {
		return pattern{}, fmt.Errorf("the regular expression %s is not valid, or looks around or back, which is not supported here", text)
	}
	return pattern{compiled, text, strings.Contains(flags, "g")}, nil
}

func asText(v value.Value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case Tag:
		return string(v), true
	}
	return "", false
}

// Text shows a value as text.
func Text(v value.Value) string {
	if text, ok := asText(v); ok {
		return text
	}
	var p printer
	p.print(v)
	return p.String()
}

// printer writes values, but not without end: a few steps make lists of lists that hold each other many times.
type printer struct{ strings.Builder }

func (p *printer) print(v value.Value) {
	if p.Len() > value.MaxText {
		return
	}
	switch v := v.(type) {
	case bool:
		p.WriteString(strconv.FormatBool(v))
	case float64:
		p.WriteString(strings.Replace(value.Number(v), "Infinity", "∞", 1))
	case string:
		p.WriteString(v)
	case Tag:
		p.WriteString(string(v))
	case value.Date:
		if v.IsDay {
			p.WriteString(v.Time.Format("2006-01-02"))
		} else {
			p.WriteString(v.Time.Format("2006-01-02T15:04:05"))
		}
	case value.Duration:
		p.WriteString(v.ISO())
	case value.Link:
		p.WriteString("[[" + v.Path)
		if v.Display != "" {
			p.WriteString("|" + v.Display)
		}
		p.WriteString("]]")
	case value.List:
		p.list(v, ", ")
	case pattern:
		p.WriteString(v.source)
	case Rich:
		p.WriteString(v.Text)
	case *File:
		p.WriteString(v.Path)
	case thisNote:
		p.WriteString(v.Path)
	case value.Fields:
		p.WriteByte('{')
		for i, key := range v.Keys() {
			if i > 0 {
				p.WriteString(", ")
			}
			field, _ := v.Get(key)
			p.WriteString(key + ": ")
			p.print(field)
		}
		p.WriteByte('}')
	}
}

func (p *printer) list(list value.List, separator string) {
	for i, item := range list {
		if i > 0 {
			p.WriteString(separator)
		}
		p.print(item)
	}
}

// bounds are the ends of a slice, which count from the end if they are negative.
func bounds(a []value.Value, length int) (from, to int) {
	place := func(v value.Value, otherwise int) int {
		number, ok := v.(float64)
		switch {
		case !ok:
			return otherwise
		case number < 0:
			return max(0, length+int(math.Max(number, -1e9)))
		}
		return int(math.Min(number, float64(length)))
	}
	from, to = place(argument(a, 0), 0), place(argument(a, 1), length)
	return from, max(from, to)
}

func methodsOfText() map[string]methodOf[string] {
	every := func(holds func(text, part string) bool, isAll bool) methodOf[string] {
		return func(_ *rowScope, of string, a []value.Value) (value.Value, error) {
			misses := func(part value.Value) bool { return holds(of, Text(part)) != isAll }
			return slices.ContainsFunc(a, misses) != isAll, nil
		}
	}
	changed := func(change func(string) string) methodOf[string] {
		return func(_ *rowScope, of string, _ []value.Value) (value.Value, error) { return change(of), nil }
	}
	tested := func(holds func(text, part string) bool) methodOf[string] {
		return func(_ *rowScope, of string, a []value.Value) (value.Value, error) {
			return len(a) > 0 && holds(of, Text(a[0])), nil
		}
	}
	return map[string]methodOf[string]{
		"contains": tested(strings.Contains), "containsAll": every(strings.Contains, true), "containsAny": every(strings.Contains, false),
		"startsWith": tested(strings.HasPrefix), "endsWith": tested(strings.HasSuffix),
		"lower": changed(strings.ToLower), "upper": changed(strings.ToUpper), "trim": changed(strings.TrimSpace), "title": changed(title),
		"reverse": changed(func(text string) string {
			units := []rune(text)
			slices.Reverse(units)
			return string(units)
		}),
		"replace": replace,
		"repeat": func(r *rowScope, of string, a []value.Value) (value.Value, error) {
			times, ok := argument(a, 0).(float64)
			if !ok || times < 0 {
				return nil, errors.New("it takes a number that is not negative")
			}
			if times*float64(len(of)) > value.MaxText {
				return nil, value.ErrTooMuch
			}
			return strings.Repeat(of, int(times)), r.spend(int(times) * len(of) / value.BytesPerStep)
		},
		"slice": func(_ *rowScope, of string, a []value.Value) (value.Value, error) {
			units := value.UTF16(of)
			from, to := bounds(a, len(units))
			return value.FromUTF16(units[from:to]), nil
		},
		"split": split,
		"asFile": func(r *rowScope, of string, _ []value.Value) (value.Value, error) {
			return makeFile(r, []value.Value{of})
		},
	}
}

// title makes the first letter of every word a capital.
func title(text string) string {
	isStart := true
	return strings.Map(func(r rune) rune {
		wasStart := isStart
		isStart = unicode.IsSpace(r)
		if wasStart {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, text)
}

// replace replaces a text everywhere; a pattern only once, unless it has the flag g.
func replace(r *rowScope, of string, a []value.Value) (value.Value, error) {
	if len(a) != 2 {
		return nil, errors.New("it takes what to replace, and by what")
	}
	by := Text(a[1])
	result := ""
	if by2, ok := a[0].(pattern); ok {
		template := strings.ReplaceAll(strings.ReplaceAll(goTemplate.ReplaceAllString(by, "$${$1}"), "$&", "${0}"), "$$", "$$")
		count := 0
		var out []byte
		at := 0
		for _, found := range by2.FindAllStringSubmatchIndex(of, -1) {
			if count++; count > 1 && !by2.global {
				break
			}
			out = append(out, of[at:found[0]]...)
			out = by2.ExpandString(out, template, of, found)
			at = found[1]
		}
		result = string(append(out, of[at:]...))
	} else {
		result = strings.ReplaceAll(of, Text(a[0]), by)
	}
	return result, r.spend(len(result) / value.BytesPerStep)
}

// goTemplate finds the groups in a replacement: $1.
var goTemplate = regexp.MustCompile(`\$(\d{1,2})`)

func split(r *rowScope, of string, a []value.Value) (value.Value, error) {
	var parts []string
	if by, ok := argument(a, 0).(pattern); ok {
		parts = by.Split(of, -1)
	} else {
		parts = strings.Split(of, Text(argument(a, 0)))
	}
	if most, ok := argument(a, 1).(float64); ok && most >= 0 && most < float64(len(parts)) {
		parts = parts[:int(most)]
	}
	list := make(value.List, len(parts))
	for i, part := range parts {
		list[i] = part
	}
	return list, r.spend(len(list))
}

func methodsOfNumber() map[string]methodOf[float64] {
	rounded := func(round func(float64) float64) methodOf[float64] {
		return func(_ *rowScope, of float64, _ []value.Value) (value.Value, error) { return round(of), nil }
	}
	return map[string]methodOf[float64]{
		"abs": rounded(math.Abs), "ceil": rounded(math.Ceil), "floor": rounded(math.Floor),
		"round": func(_ *rowScope, of float64, a []value.Value) (value.Value, error) {
			digits, _ := argument(a, 0).(float64)
			scale := math.Pow(10, math.Max(0, math.Min(digits, 15)))
			return math.Floor(of*scale+0.5) / scale, nil
		},
		"toFixed": func(_ *rowScope, of float64, a []value.Value) (value.Value, error) {
			digits, _ := argument(a, 0).(float64)
			return strconv.FormatFloat(of, 'f', int(math.Max(0, math.Min(digits, 100))), 64), nil
		},
	}
}

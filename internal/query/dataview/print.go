package dataview

import (
	"math"
	"strconv"
	"strings"

	"obsidian-mcp/internal/query/value"
)

// How values are shown, as the plugin does unless it is set up otherwise.
const (
	nullText       = `\-`
	dateFormat     = "MMMM dd, yyyy"
	dateTimeFormat = "h:mm a - MMMM dd, yyyy"
)

// Text shows a value as text.
func Text(v value.Value) string {
	if text, ok := v.(string); ok {
		return text
	}
	var p printer
	p.print(v, false)
	return p.String()
}

// printer writes values, but not without end: a few steps make lists of lists that hold each other many times.
type printer struct{ strings.Builder }

func (p *printer) print(v value.Value, isInner bool) {
	if p.Len() > value.MaxText {
		return
	}
	switch v := v.(type) {
	case bool:
		p.WriteString(strconv.FormatBool(v))
	case float64:
		p.WriteString(value.Number(v))
	case string:
		p.WriteString(v)
	case value.Date:
		if v.HasTime() {
			p.WriteString(formatDate(v, dateTimeFormat))
		} else {
			p.WriteString(formatDate(v, dateFormat))
		}
	case value.Duration:
		p.WriteString(humanDuration(v))
	case value.Link:
		p.WriteString(linkMarkdown(v))
	case value.List:
		p.list(v, isInner)
	case ExternalLink:
		p.WriteString("[" + v.Display + "](" + v.URL + ")")
	case Pair:
		p.print(v.ID, false)
		p.WriteString(": ")
		p.print(v.Value, false)
	case function:
		p.WriteString("<function>")
	case value.Fields:
		p.WriteString("{ ")
		for i, key := range v.Keys() {
			if i > 0 {
				p.WriteString(", ")
			}
			p.WriteString(key + ": ")
			p.print(fieldOf(v, key), true)
		}
		p.WriteString(" }")
	default:
		p.WriteString(nullText)
	}
}

func (p *printer) list(list value.List, isInner bool) {
	if isInner {
		p.WriteByte('[')
	}
	for i, item := range list {
		if i > 0 {
			p.WriteString(", ")
		}
		p.print(item, true)
	}
	if isInner {
		p.WriteByte(']')
	}
}

// linkMarkdown writes a link with the text that it shows.
func linkMarkdown(l value.Link) string {
	var out strings.Builder
	if l.Embed {
		out.WriteByte('!')
	}
	out.WriteString("[[" + strings.ReplaceAll(l.Path, "|", `\|`))
	switch l.Kind {
	case value.ToHeader:
		out.WriteString("#" + strings.ReplaceAll(l.Subpath, "|", `\|`))
	case value.ToBlock:
		out.WriteString("#^" + strings.ReplaceAll(l.Subpath, "|", `\|`))
	}
	out.WriteString("|" + linkText(l) + "]]")
	return out.String()
}

// linkText is the text that a link shows.
func linkText(l value.Link) string {
	switch {
	case l.Display != "":
		return l.Display
	case l.Kind == value.ToFile:
		return title(l.Path)
	}
	return title(l.Path) + " > " + l.Subpath
}

// title is the name of a file without its folder and .md.
func title(path string) string {
	return strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")
}

// humanDuration writes a duration in words: 1 day, 2 hours.
func humanDuration(d value.Duration) string {
	normal := d.Normal()
	var parts []string
	for unit := range value.Units {
		amount := normal.Amount[unit]
		if amount == 0 {
			continue
		}
		name := unit.String()
		if math.Abs(amount) == 1 {
			name = strings.TrimSuffix(name, "s")
		}
		parts = append(parts, grouped(amount, -1)+" "+name)
	}
	return strings.Join(parts, ", ")
}

// grouped writes a number with commas between thousands; decimals < 0 means at most three.
func grouped(n float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(n), 'f', max(decimals, 0), 64)
	if decimals < 0 {
		text = strconv.FormatFloat(math.Round(math.Abs(n)*1000)/1000, 'f', -1, 64)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if n < 0 {
		return "-" + whole
	}
	return whole
}

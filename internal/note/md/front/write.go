package front

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoteStyle says how to quote texts.
type quoteStyle uint8

const (
	quoteIfNeeded quoteStyle = iota // plain where possible, else double
	quoteDouble
	quoteSingle
)

// writer writes values as Obsidian does: lists and maps as indented blocks, text without quotes unless it would mean
// something else.
type writer struct {
	eol   string
	quote quoteStyle
	json  bool // everything on one line, as JSON
}

// indentStep is how much deeper than its key a list or a map is indented.
const indentStep = 2

// property returns what follows the colon of a key at the given indent: " value", or a line break and indented lines. A
// list starts at listIndent.
func (w writer) property(value Value, indent, listIndent int) string {
	var out strings.Builder
	switch {
	case w.json:
		out.WriteString(" ")
		out.Write(value.appendJSON(nil))
	case value.isBlock():
		start := indent + indentStep
		if value.Kind == List {
			start = listIndent
		}
		out.WriteString(w.eol)
		w.block(&out, value, start)
		return strings.TrimSuffix(out.String(), w.eol)
	case value.Kind == Null:
	default:
		out.WriteString(" ")
		w.scalar(&out, value, indent+indentStep)
	}
	return out.String()
}

// isBlock reports whether the value is written on lines of its own.
func (v Value) isBlock() bool { return len(v.Items) > 0 || len(v.Fields) > 0 }

// isOneLine reports whether the value is written on the line of its key.
func (v Value) isOneLine() bool {
	return !v.isBlock() && !(v.Kind == Text && isLiteral(v.Text))
}

// block writes the lines of a list or a map, each with its line end.
func (w writer) block(out *strings.Builder, value Value, indent int) {
	pad := strings.Repeat(" ", indent)
	for _, item := range value.Items {
		out.WriteString(pad + "-")
		w.item(out, item, indent)
	}
	for _, field := range value.Fields {
		out.WriteString(pad + w.key(field.Key) + ":")
		out.WriteString(w.property(field.Value, indent, indent+indentStep))
		out.WriteString(w.eol)
	}
}

// item writes what follows a dash. A collection starts on the line of the dash.
func (w writer) item(out *strings.Builder, item Value, indent int) {
	switch {
	case item.isBlock():
		var inner strings.Builder
		w.block(&inner, item, indent+indentStep)
		out.WriteString(" " + inner.String()[indent+indentStep:])
		return
	case item.Kind == Null:
	default:
		out.WriteString(" ")
		w.scalar(out, item, indent+indentStep)
	}
	out.WriteString(w.eol)
}

// scalar writes a value without parts. The lines of a literal text are indented.
func (w writer) scalar(out *strings.Builder, value Value, indent int) {
	switch value.Kind {
	case Text:
		w.text(out, value.Text, indent)
	case List:
		out.WriteString("[]")
	case Map:
		out.WriteString("{}")
	case Bool, Number:
		out.WriteString(value.Text)
	default:
		out.WriteString("null")
	}
}

func (w writer) text(out *strings.Builder, text string, indent int) {
	switch {
	case isLiteral(text):
		w.literal(out, text, indent)
	case w.quote == quoteSingle && isPrintable(text):
		out.WriteString("'" + strings.ReplaceAll(text, "'", "''") + "'")
	case w.quote != quoteIfNeeded || needsQuotes(text):
		out.WriteString(doubleQuoted(text))
	default:
		out.WriteString(text)
	}
}

// isLiteral reports whether a text is written as a literal block: it has several lines, and neither the rules of literal
// blocks nor blank lines after the block would change it.
func isLiteral(text string) bool {
	if !strings.Contains(text, "\n") || strings.HasSuffix(text, "\n\n") || text == "\n" {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !isPrintable(line) || line != "" && strings.Trim(line, " ") == "" {
			return false
		}
	}
	first := strings.TrimLeft(text, "\n")
	return len(first) == len(text) && first[0] != ' '
}

func (w writer) literal(out *strings.Builder, text string, indent int) {
	body, ended := strings.CutSuffix(text, "\n")
	out.WriteString("|")
	if !ended {
		out.WriteString("-")
	}
	pad := strings.Repeat(" ", indent)
	for line := range strings.SplitSeq(body, "\n") {
		out.WriteString(w.eol)
		if line != "" {
			out.WriteString(pad + line)
		}
	}
}

// key returns a key, quoted if necessary.
func (w writer) key(key string) string {
	if w.json || needsQuotes(key) || strings.ContainsAny(key, "\n") {
		return doubleQuoted(key)
	}
	return key
}

// needsQuotes reports whether YAML would read the unquoted text as something else.
func needsQuotes(text string) bool {
	if text == "" || !isPrintable(text) || plainValue(text).Kind != Text {
		return true
	}
	if text[0] == ' ' || text[len(text)-1] == ' ' || text[len(text)-1] == ':' {
		return true
	}
	switch c := text[0]; {
	case strings.IndexByte("-?", c) >= 0:
		if len(text) == 1 || text[1] == ' ' || strings.HasPrefix(text, "---") {
			return true
		}
	case strings.IndexByte(",[]{}#&*!|>'\"%@`:", c) >= 0:
		return true
	}
	return strings.Contains(text, ": ") || strings.Contains(text, " #")
}

// isPrintable reports whether YAML allows the text unescaped on one line.
func isPrintable(text string) bool {
	for _, r := range text {
		if r < ' ' || r == utf8.RuneError || r == '\ufeff' || r == '\u2028' || r == '\u2029' || r >= 0x7f && r < 0xa0 ||
			r > 0xffff && !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

func doubleQuoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case r == '\r':
			out.WriteString(`\r`)
		case isPrintable(string(r)):
			out.WriteRune(r)
		case r <= 0xffff:
			out.WriteString(`\u` + hex(r, 4))
		default:
			out.WriteString(`\U` + hex(r, 8))
		}
	}
	out.WriteByte('"')
	return out.String()
}

func hex(r rune, width int) string {
	text := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", width-len(text)) + text
}

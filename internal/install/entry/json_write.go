package entry

import (
	"bytes"
	"encoding/json"
	"strings"
)

// style says how to write JSON. Without a newline everything goes on one line.
type style struct{ newline, unit string }

// write formats a value whose first line is already indented.
func (s style) write(value any, indent string) string {
	switch value := value.(type) {
	case Object:
		return s.object(value, indent)
	case map[string]any:
		return s.object(asObject(value), indent)
	case []string:
		items := make([]string, len(value))
		for i, item := range value {
			items[i] = quoteJSON(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return quoteJSON(value)
}

func (s style) object(object Object, indent string) string {
	if len(object) == 0 {
		return "{}"
	}
	before, between, after := "{ ", ", ", " }"
	if s.newline != "" {
		before = "{" + s.newline + indent + s.unit
		between = "," + s.newline + indent + s.unit
		after = s.newline + indent + "}"
	}
	members := make([]string, len(object))
	for i, field := range object {
		members[i] = quoteJSON(field.Name) + ": " + s.write(field.Value, indent+s.unit)
	}
	return before + strings.Join(members, between) + after
}

// quoteJSON encodes a value on one line.
func quoteJSON(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // decoded values and strings can be encoded
	return strings.TrimSuffix(out.String(), "\n")
}

// style returns the style of the text: one line if all of it is on one line, otherwise several.
func (d *document) style() style {
	if len(d.root.members) > 0 && bytes.IndexByte(d.text[d.root.start:d.root.end], '\n') < 0 {
		return style{}
	}
	return style{newline: newlineOf(d.text), unit: d.unit()}
}

// unit returns the indentation of one level: that of the first member of the outermost object.
func (d *document) unit() string {
	if len(d.root.members) > 0 {
		first := d.root.members[0]
		if unit := d.indentAt(first.start); unit != "" && d.leads(first.start) {
			return unit
		}
	}
	return "  "
}

// memberIndent returns the indentation of an object's members.
func (d *document) memberIndent(object node) string {
	for _, m := range object.members {
		if d.leads(m.start) {
			return d.indentAt(m.start)
		}
	}
	return d.indentAt(object.end-1) + d.unit()
}

// lineStart returns the start of the line at a position.
func (d *document) lineStart(at int) int {
	start := bytes.LastIndexByte(d.text[:at], '\n') + 1
	if start == 0 && bytes.HasPrefix(d.text, []byte(byteOrderMark)) {
		start = len(byteOrderMark)
	}
	return start
}

// leads reports whether only white space precedes a position on its line.
func (d *document) leads(at int) bool {
	return len(bytes.TrimLeft(d.text[d.lineStart(at):at], " \t")) == 0
}

// indentAt returns the indentation of the line at a position.
func (d *document) indentAt(at int) string {
	line := d.text[d.lineStart(at):at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

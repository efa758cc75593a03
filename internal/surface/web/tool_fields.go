package web

import (
	"encoding/json"
	"net/url"
	"strings"

	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/wire"
)

// field is the input for one parameter.
type field struct {
	tool.Param
	Kind  string // line, text, number, truth, choice (true, false or neither), list or object
	Value string
	Truth bool
}

// fieldsOf returns the fields of a tool, filled with the entered values or the defaults.
func fieldsOf(called tool.Tool, entered url.Values) []field {
	var fields []field
	for _, param := range called.Params {
		if param.Hidden {
			continue
		}
		input := field{Param: param, Kind: kindOf(param), Value: entered.Get(param.Name)}
		switch {
		case entered.Has(param.Name):
			input.Truth = entered.Get(param.Name) == "true"
		case input.Kind == "truth":
			input.Truth = param.Default == "true"
		case input.Kind == "number" || input.Kind == "line":
			input.Value = param.Default
		}
		fields = append(fields, input)
	}
	return fields
}

// kindOf returns the kind of input for a parameter. A text that may have several lines gets room for them and may be
// empty.
func kindOf(param tool.Param) string {
	switch param.Type {
	case "integer":
		return "number"
	case "boolean":
		if param.Default == "" && !param.Required {
			return "choice"
		}
		return "truth"
	case "array":
		if param.Objects {
			return "object"
		}
		return "list"
	case "object":
		return "object"
	}
	if strings.Contains(param.Name, "text") || strings.Contains(param.Name, "content") ||
		param.Name == "frontmatter" || param.Name == "value" {
		return "text"
	}
	return "line"
}

// arguments reads a tool's arguments from a form. An empty field is left out, so that the tool's own
// default applies; blank lines count as text. Wrong values are left for the tool to
// report.
func arguments(called tool.Tool, form url.Values) (json.RawMessage, error) {
	args := map[string]any{}
	for _, param := range called.Params {
		value := form.Get(param.Name)
		switch kind := kindOf(param); {
		case kind == "truth":
			args[param.Name] = value == "true"
		case kind == "list":
			if items := lines(value); len(items) > 0 {
				args[param.Name] = items
			}
		case isLeftEmpty(kind, value) && !(param.Required && form.Has(param.Name)):
		case kind == "object" && json.Valid([]byte(value)):
			args[param.Name] = json.RawMessage(value)
		case kind == "number" && json.Valid([]byte(strings.TrimSpace(value))):
			args[param.Name] = json.RawMessage(strings.TrimSpace(value))
		default:
			args[param.Name] = strings.ReplaceAll(value, "\r\n", "\n") // browsers send CRLF
		}
	}
	return wire.Encode(args)
}

// isLeftEmpty reports whether nothing was entered into a field.
func isLeftEmpty(kind, value string) bool {
	if kind != "text" {
		value = strings.TrimSpace(value)
	}
	return value == ""
}

// lines returns the lines that are not blank.
func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

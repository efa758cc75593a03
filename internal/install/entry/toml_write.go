package entry

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// writeTables writes an entry as a table, with a separate table for each object in it.
func writeTables(path []string, value Object, newline string) string {
	var out strings.Builder
	out.WriteString("[" + tomlKey(path) + "]" + newline)
	for _, field := range value {
		if _, ok := field.Value.(Object); !ok {
			out.WriteString(tomlKey([]string{field.Name}) + " = " + inlineTOML(field.Value) + newline)
		}
	}
	for _, field := range value {
		if object, ok := field.Value.(Object); ok {
			out.WriteString(newline + writeTables(below(path, field.Name), object, newline))
		}
	}
	return out.String()
}

// tomlKey writes a path as a dotted key.
func tomlKey(path []string) string {
	names := make([]string, len(path))
	for i, name := range path {
		names[i] = name
		needsQuotes := func(r rune) bool { return r > unicode.MaxASCII || !isBare(byte(r)) }
		if name == "" || strings.ContainsFunc(name, needsQuotes) {
			names[i] = quoteTOML(name)
		}
	}
	return strings.Join(names, ".")
}

// inlineTOML writes a value on one line.
func inlineTOML(value any) string {
	switch value := value.(type) {
	case string:
		return stringTOML(value)
	case []string:
		return "[" + joinTOML(value, stringTOML) + "]"
	case []any:
		return "[" + joinTOML(value, inlineTOML) + "]"
	case map[string]any:
		return inlineTOML(asObject(value))
	case Object:
		if len(value) == 0 {
			return "{}"
		}
		pair := func(f Field) string { return tomlKey([]string{f.Name}) + " = " + inlineTOML(f.Value) }
		return "{ " + joinTOML(value, pair) + " }"
	case float64:
		return floatTOML(value)
	case time.Time:
		return value.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value) // a whole number, a date without a zone, true or false
}

// floatTOML writes a number so that it is read as a float again.
func floatTOML(value float64) string {
	text := strings.ToLower(strconv.FormatFloat(value, 'g', -1, 64)) // TOML spells inf and nan in lower case
	if strings.ContainsAny(text, ".en") {
		return text
	}
	return text + ".0"
}

func joinTOML[T any](items []T, write func(T) string) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = write(item)
	}
	return strings.Join(texts, ", ")
}

// stringTOML writes a string. One with backslashes, such as a Windows path, goes into single quotes to stay legible.
func stringTOML(text string) string {
	if strings.Contains(text, `\`) && !strings.ContainsFunc(text, func(r rune) bool { return r == '\'' || unicode.IsControl(r) }) {
		return "'" + text + "'"
	}
	return quoteTOML(text)
}

// quoteTOML writes a string in double quotes.
func quoteTOML(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case unicode.IsControl(r):
			fmt.Fprintf(&out, `\u%04X`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

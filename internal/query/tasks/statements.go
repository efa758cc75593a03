package tasks

import (
	"regexp"
	"strings"
)

// statement is a line of a query, or several that are joined.
type statement struct {
	text   string
	number int // of the first line
}

// statements splits a query. A backslash at the end joins a line with the next; two are one backslash.
func statements(source string) []statement {
	var all []statement
	joined := false
	for number, line := range strings.Split(source, "\n") {
		line = strings.TrimSpace(line)
		continues := false
		switch {
		case strings.HasSuffix(line, `\\`):
			line = line[:len(line)-1]
		case strings.HasSuffix(line, `\`):
			line, continues = strings.TrimSpace(line[:len(line)-1]), true
		}
		if joined {
			last := &all[len(all)-1]
			last.text = strings.TrimSpace(last.text + " " + line)
		} else {
			all = append(all, statement{line, number})
		}
		joined = continues
	}
	return all
}

var placeholder = regexp.MustCompile(`\{\{(.*?)\}\}`)

// expand fills in the placeholders of a line. Comments have none.
func (c Context) expand(line string) (string, *problem) {
	if strings.HasPrefix(line, "#") {
		return line, nil
	}
	var failed *problem
	expanded := placeholder.ReplaceAllStringFunc(line, func(found string) string {
		value, problem := c.placeholder(strings.TrimSpace(found[2 : len(found)-2]))
		if problem != nil && failed == nil {
			failed = problem
		}
		return value
	})
	return expanded, failed
}

var (
	propertyCall = regexp.MustCompile(`^query\.file\.(property|hasProperty)\((?:'([^']*)'|"([^"]*)")\)$`)
	plainName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)
)

// placeholder returns what an expression stands for.
func (c Context) placeholder(expression string) (string, *problem) {
	bad := func(reason string) (string, *problem) { return "", &problem{BadPlaceholder, reason} }
	if name, ok := strings.CutPrefix(expression, "preset."); ok && plainName.MatchString(expression) {
		if preset, known := c.Presets[name]; known {
			return strings.TrimSpace(preset), nil
		}
		return bad("there is no such preset")
	}
	call := propertyCall.FindStringSubmatch(expression)
	if call == nil && !plainName.MatchString(expression) {
		return "", script()
	}
	if c.File == nil {
		return bad("the query is in no note")
	}
	if call != nil {
		value, has := c.File.Property(call[2] + call[3])
		switch {
		case call[1] == "hasProperty" && has:
			return "true", nil
		case call[1] == "hasProperty":
			return "false", nil
		case !has:
			return bad("the note has no such property")
		}
		return value, nil
	}
	path := c.File.Path
	value, known := map[string]string{
		"path": path, "pathWithoutExtension": strings.TrimSuffix(path, ".md"), "folder": folderOf(path), "root": rootOf(path),
		"filename": fileName(path), "filenameWithoutExtension": strings.TrimSuffix(fileName(path), ".md"),
	}[strings.TrimPrefix(expression, "query.file.")]
	if !known || !strings.HasPrefix(expression, "query.file.") {
		return bad("there is no such placeholder")
	}
	return value, nil
}

func fileName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// folderOf is the path of a file's folder, with a slash at its end.
func folderOf(path string) string {
	if at := strings.LastIndexByte(path, '/'); at >= 0 {
		return path[:at+1]
	}
	return "/"
}

// rootOf is the first folder of a path, with a slash at its end.
func rootOf(path string) string {
	if at := strings.IndexByte(path, '/'); at >= 0 {
		return path[:at+1]
	}
	return "/"
}

// defaults are the properties of a note that add lines to its queries, and the lines.
var defaults = []struct {
	name, whenTrue, whenFalse string
}{
	{"TQ_explain", "explain", ""}, {"TQ_short_mode", "short mode", "full mode"},
	{"TQ_show_backlink", "show backlink", "hide backlink"}, {"TQ_show_tree", "show tree", "hide tree"},
}

// fileDefaults are the lines that the properties of a note add to its queries.
func (c Context) fileDefaults() string {
	var lines []string
	for _, name := range []string{"TQ_extra_instructions"} {
		if value, has := c.File.Property(name); has {
			lines = append(lines, value)
		}
	}
	for _, property := range defaults {
		switch value, _ := c.File.Property(property.name); value {
		case "true":
			lines = append(lines, property.whenTrue)
		case "false":
			lines = append(lines, property.whenFalse)
		}
	}
	return strings.Join(lines, "\n")
}

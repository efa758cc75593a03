package tasks

import (
	"regexp"
	"strings"

	"obsidian-mcp/internal/note/md"
)

var regexStart = regexp.MustCompile(`(?i)regex (?:matches|does not match) +/`)

// Split puts the parts of a query in one line, which semicolons separate, on lines of their own. A semicolon in a regular
// expression is part of it, and a query of several lines stays as it is.
func Split(query string) string {
	if strings.ContainsAny(query, "\r\n") || !strings.Contains(query, ";") {
		return query
	}
	var out strings.Builder
	for query != "" {
		end := strings.IndexByte(query, ';')
		part := query
		if end >= 0 {
			part = query[:end]
		}
		if found := regexStart.FindStringIndex(part); found != nil {
			end = found[1] + regexEnd(query[found[1]:])
			out.WriteString(query[:end])
			query = query[end:]
			continue
		}
		if end < 0 {
			out.WriteString(query)
			break
		}
		out.WriteString(query[:end] + "\n")
		query = query[end+1:]
	}
	return out.String()
}

var regexTail = regexp.MustCompile(`^/[a-z]*\s*(?:[;)\]}"]|$)`)

// regexEnd returns where the rest of a regular expression ends: at a slash that flags and the end of its part follow.
func regexEnd(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if text[i] == '/' && regexTail.MatchString(text[i:]) {
			return i + 1
		}
	}
	return len(text)
}

// Blocks returns the queries that a note has in code blocks of the language tasks.
func Blocks(note *md.Note) []string {
	var queries []string
	for _, fence := range note.Fences() {
		if fence.Language == "tasks" {
			lines := strings.Split(fence.Text, "\n")
			for i, line := range lines {
				lines[i] = strings.TrimLeft(line, " \t>")
			}
			queries = append(queries, strings.Join(lines, "\n"))
		}
	}
	return queries
}

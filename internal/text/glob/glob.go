// Package glob decides which files ripgrep's --glob would search. A pattern has the syntax of .gitignore with the
// meaning inverted: files that match are searched, and files that match a pattern after ! are not.
//
// It gives ripgrep's answers for files at slash-separated paths, byte by byte: as in ripgrep, ? is a single byte
// and case matters. The caller decides which files are hidden.
package glob

import (
	"strings"

	"obsidian-mcp/internal/text/regex"
)

// Glob is a compiled pattern. Many goroutines may use it at once.
type Glob struct {
	regex    *regex.Regex // nil for a pattern that selects all files
	excludes bool         // the pattern began with !
	folders  bool         // the pattern ended in /, so it matches only folders
}

// Compile compiles a pattern. An empty pattern or a comment selects all files. The error is a *regex.Error with the
// offset.
func Compile(pattern string) (*Glob, error) {
	line := pattern
	if !strings.HasSuffix(line, `\ `) {
		line = strings.TrimRightFunc(line, isSpace)
	}
	if line == "" || strings.HasPrefix(line, "#") {
		return &Glob{}, nil
	}
	g := &Glob{}
	rooted := false
	if strings.HasPrefix(line, `\!`) || strings.HasPrefix(line, `\#`) {
		line = line[1:]
	} else {
		line, g.excludes = strings.CutPrefix(line, "!")
		line, rooted = strings.CutPrefix(line, "/")
	}
	skipped := strings.Index(pattern, line)
	if line, g.folders = strings.CutSuffix(line, "/"); g.folders {
		line = strings.TrimSuffix(line, `\`)
	}
	// A pattern without a slash matches names in any folder.
	if !rooted && !strings.Contains(line, "/") && !strings.HasPrefix(line, "**/") && line != "**" {
		line = "**/" + line
		skipped -= len("**/")
	}
	// A pattern that ends in /** does not match the folder itself.
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	expression, err := translate(line)
	if err != nil {
		err.Offset = min(max(err.Offset+skipped, 0), len(pattern))
		return nil, err
	}
	if g.regex, _ = regex.Compile(expression, regex.Options{}); g.regex == nil {
		return nil, &regex.Error{Message: "the glob is too large or has a class that no file name can match"}
	}
	return g, nil
}

// isSpace reports whether a character is trimmed from the end of a pattern.
func isSpace(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r\u0085\u00a0\u3000", r) }

// Match reports whether a file at a path would be searched.
func (g *Glob) Match(path string) bool {
	if g.regex == nil {
		return true
	}
	m := g.regex.Matcher()
	defer m.Release()
	matches := func(path string) bool { return m.Match([]byte(strings.ReplaceAll(path, "\n", lineFeed))) }
	if !g.excludes {
		return !g.folders && matches(path)
	}
	for i := range len(path) {
		if path[i] == '/' && matches(path[:i]) {
			return false
		}
	}
	return g.folders || !matches(path)
}

// lineFeed replaces a line feed in names and patterns, because a regex never matches one.
const lineFeed = "\x01"

// Package glob decides which files ripgrep's --glob would search: one pattern
// in the syntax of .gitignore, turned round, so that what matches is searched
// and what matches a pattern after ! is not.
//
// It promises ripgrep's answers for files at slash-separated paths, byte by
// byte: ? is one byte, as ripgrep has it, and case matters. Which files are
// hidden is left to the caller.
package glob

import (
	"strings"

	"obsidian-mcp/internal/text/regex"
)

// Glob is a compiled pattern. It may be used by many goroutines at once.
type Glob struct {
	regex    *regex.Regex // nil for a pattern that says nothing
	excludes bool         // the pattern began with !
	folders  bool         // the pattern ended in /, and is only about folders
}

// Compile reads a pattern. An empty one, and one that is a comment, says
// nothing: all files are searched. The error is a *regex.Error, with the
// place.
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
	// Without a slash, a pattern is about names in any folder.
	if !rooted && !strings.Contains(line, "/") && !strings.HasPrefix(line, "**/") && line != "**" {
		line = "**/" + line
		skipped -= len("**/")
	}
	// With /** at its end, it is not about the folder itself.
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	expression, err := translate(line)
	if err != nil {
		err.Offset = min(max(err.Offset+skipped, 0), len(pattern))
		return nil, err
	}
	if g.regex, _ = regex.Compile(expression, regex.Options{}); g.regex == nil {
		return nil, &regex.Error{Message: "the glob is too large, or has a class that no file name can match"}
	}
	return g, nil
}

// isSpace is the white space that is cut off a pattern's end.
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

// lineFeed stands for a line feed in names and patterns, since a regex sees
// none.
const lineFeed = "\x01"

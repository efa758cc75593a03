package search

import (
	"strings"

	"obsidian-mcp/internal/text/regex"
)

// Excluded returns a function that reports which paths search must skip, by the filters of Obsidian's "excluded
// files" setting. A filter is the start of a path, or a regular expression between slashes. An invalid expression
// excludes nothing.
func Excluded(filters []string) func(path string) bool {
	var prefixes []string
	var patterns []*regex.Regex
	for _, filter := range filters {
		source, isPattern := strings.CutPrefix(filter, "/")
		source, closed := strings.CutSuffix(source, "/")
		if !isPattern || !closed || source == "" {
			prefixes = append(prefixes, caseKey(filter))
			continue
		}
		if pattern, err := regex.Compile(source, regex.Options{Dialect: regex.JavaScript}); err == nil {
			patterns = append(patterns, pattern)
		}
	}
	return func(path string) bool {
		return startsWithAny(path, prefixes) || matchesAny(path, patterns)
	}
}

func startsWithAny(path string, prefixes []string) bool {
	if len(prefixes) == 0 {
		return false
	}
	key := caseKey(path)
	for _, prefix := range prefixes {
		if prefix != "" && strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

func matchesAny(path string, patterns []*regex.Regex) bool {
	for _, pattern := range patterns {
		m := pattern.Matcher()
		found := m.Match([]byte(path))
		m.Release()
		if found {
			return true
		}
	}
	return false
}

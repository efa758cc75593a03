package ops

import "obsidian-mcp/internal/text/regex"

// ShownLine is how a line is shown, for tests that know what is in it.
func ShownLine(pattern *regex.Regex, line string) string {
	matcher := pattern.Matcher()
	defer matcher.Release()
	return shownLine(matcher, line)
}

package ops

import "obsidian-mcp/internal/text/regex"

// ShownLine returns a line as vault_search shows it.
func ShownLine(pattern *regex.Regex, line string) string {
	matcher := pattern.Matcher()
	defer matcher.Release()
	return shownLine(matcher, line)
}

package fts5

import (
	"strings"

	"obsidian-mcp/bench"
)

// translate writes a query in FTS5's language.
func translate(query bench.Query) string {
	quoted := make([]string, len(query.Terms))
	for i, term := range query.Terms {
		quoted[i] = quote(term)
	}
	switch query.Kind {
	case bench.Any, bench.Asked:
		return strings.Join(quoted, " OR ")
	case bench.Prefix:
		return quoted[0] + "*"
	case bench.Phrase:
		return "text : " + quote(strings.Join(query.Terms, " "))
	case bench.Free:
		words := strings.Fields(strings.Join(query.Terms, " "))
		for i, word := range words {
			words[i] = quote(word)
		}
		return strings.Join(words, " OR ")
	}
	return strings.Join(quoted, " AND ")
}

func quote(term string) string { return `"` + strings.ReplaceAll(term, `"`, `""`) + `"` }

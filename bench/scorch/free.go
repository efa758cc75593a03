package scorch

import (
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
)

// free makes the best of what a person types: any word counts, all of them in one note count more, all in one field
// more again, and a misspelt or unfinished word counts a little. These weights gave the best mean rank on the
// judged queries of all that were tried, so that we compare with bleve at its best.
func free(text string) query.Query {
	words := strings.Fields(text)
	evidence := []query.Query{
		inFields(1, func(name string, boost float64) query.Query { return match(name, text, boost, 0) }),
		inFields(1, func(name string, boost float64) query.Query {
			all := match(name, text, boost, 0)
			all.SetOperator(query.MatchQueryOperatorAnd)
			return all
		}),
		bleve.NewConjunctionQuery(each(words, term)...),
	}
	for _, word := range words {
		if utf8.RuneCountInString(word) < shortestTypo {
			continue
		}
		evidence = append(evidence,
			inFields(weak, func(name string, boost float64) query.Query { return match(name, word, boost, 1) }),
			inFields(weak, func(name string, boost float64) query.Query { return begins(name, word, boost) }))
	}
	return bleve.NewDisjunctionQuery(evidence...)
}

const (
	shortestTypo = 4   // letters; in shorter words another letter is another word
	weak         = 0.1 // weight of a word that only resembles the requested one
)

package scorch

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"obsidian-mcp/bench"
)

// translate writes a query in bleve's terms: each term in any of the fields.
func translate(asked bench.Query) (query.Query, error) {
	switch asked.Kind {
	case bench.All:
		return bleve.NewConjunctionQuery(each(asked.Terms, term)...), nil
	case bench.Any, bench.Asked:
		return bleve.NewDisjunctionQuery(each(asked.Terms, term)...), nil
	case bench.Prefix:
		return prefix(asked.Terms[0]), nil
	case bench.Phrase:
		return phrase(strings.Join(asked.Terms, " ")), nil
	case bench.Free:
		return free(strings.Join(asked.Terms, " ")), nil
	}
	return nil, fmt.Errorf("no such kind of query: %d", asked.Kind)
}

func each(terms []string, ask func(string) query.Query) []query.Query {
	all := make([]query.Query, len(terms))
	for i, term := range terms {
		all[i] = ask(term)
	}
	return all
}

// inFields asks for the same in every field, with the field's boost.
func inFields(scale float64, ask func(name string, boost float64) query.Query) query.Query {
	all := make([]query.Query, len(fields))
	for i, field := range fields {
		all[i] = ask(field.name, field.boost*scale)
	}
	return bleve.NewDisjunctionQuery(all...)
}

func term(text string) query.Query {
	if isHan(text) { // a run of Han characters is several bigrams in a row
		return phrase(text)
	}
	return inFields(1, func(name string, boost float64) query.Query { return match(name, text, boost, 0) })
}

func isHan(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.Is(unicode.Han, first)
}

func phrase(text string) query.Query {
	asked := bleve.NewMatchPhraseQuery(text)
	asked.SetField("text")
	return asked
}

func prefix(text string) query.Query {
	return inFields(1, func(name string, boost float64) query.Query { return begins(name, text, boost) })
}

func begins(name, text string, boost float64) query.Query {
	asked := bleve.NewPrefixQuery(strings.ToLower(text))
	asked.SetField(name)
	asked.SetBoost(boost)
	return asked
}

func match(name, text string, boost float64, typos int) *query.MatchQuery {
	asked := bleve.NewMatchQuery(text)
	asked.SetField(name)
	asked.SetBoost(boost)
	asked.SetFuzziness(typos)
	return asked
}

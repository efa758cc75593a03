package scorch

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"

	"obsidian-mcp/bench"
)

// analysis says how a text becomes terms.
type analysis []string

var (
	plain    = analysis{cjk.WidthName, lowercase.Name, cjk.BigramName}
	stemming = analysis{cjk.WidthName, en.PossessiveName, lowercase.Name, porter.Name, cjk.BigramName}
)

// field is a field of a note and the weight of a hit in it.
type field struct {
	name  string
	boost float64
}

var fields = []field{{"title", 3}, {"alias", 3}, {"heading", 1.5}, {"tag", 2}, {"text", 1}}

func fieldsOf(doc bench.Doc) map[string]any {
	return map[string]any{"title": doc.Title, "alias": doc.Aliases, "heading": doc.Headings, "tag": doc.Tags, "text": doc.Text}
}

func newMapping(how analysis) (*mapping.IndexMappingImpl, error) {
	rules := bleve.NewIndexMapping()
	err := rules.AddCustomAnalyzer("note", map[string]any{
		"type": custom.Name, "tokenizer": unicode.Name, "token_filters": []string(how),
	})
	if err != nil {
		return nil, err
	}
	rules.DefaultAnalyzer = "note"
	note := bleve.NewDocumentStaticMapping()
	for _, field := range fields {
		text := bleve.NewTextFieldMapping()
		text.Analyzer = "note"
		text.Store = field.name == "text" // for the highlighter
		text.IncludeTermVectors = field.name == "text"
		text.IncludeInAll, text.DocValues = false, false
		note.AddFieldMappingsAt(field.name, text)
	}
	rules.DefaultMapping = note
	return rules, nil
}

package embedding

import "strings"

// family is what is known about the models that have a word in their names.
type family struct {
	word              string
	question, passage string  // prefixes that models of the family were trained with
	alike             float32 // the least cosine of a question and what answers it
	weight            float64 // how much a rank by meaning counts beside the same rank by words
	dimensions        int     // how many numbers to ask for; 0: as many as the model has
}

// A model that was made for search counts as much as words do. One that nobody knows counts as the built-in one does: with more, a
// weak model makes the answers worse than words alone.
const (
	strong = 1
	weak   = 0.4
)

const (
	searching = "Represent this sentence for searching relevant passages: "
	instruct  = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)

// families are the known ones. The first whose word occurs in the name of a model counts. How close unrelated texts are
// differs much: in E5 models nothing is below 0.7.
var families = []family{
	{"e5-mistral", instruct, "", 0.55, strong, 0},
	{"e5-large-instruct", instruct, "", 0.78, strong, 0},
	{"e5-", "query: ", "passage: ", 0.78, strong, 0},
	{"nomic-embed", "search_query: ", "search_document: ", 0.5, strong, 0},
	{"bge-m3", "", "", 0.45, strong, 0},
	{"bge-", searching, "", 0.5, strong, 0},
	{"mxbai-embed", searching, "", 0.45, strong, 0},
	{"arctic-embed2", "query: ", "", 0.3, strong, 0},
	{"arctic-embed-l-v2", "query: ", "", 0.3, strong, 0},
	{"arctic-embed-m-v2", "query: ", "", 0.3, strong, 0},
	{"arctic-embed", searching, "", 0.3, strong, 0},
	{"qwen3-embedding", instruct, "", 0.35, strong, 0},
	{"embeddinggemma", "task: search result | query: ", "title: none | text: ", 0.35, strong, 0},
	{"all-minilm", "", "", 0.3, weak, 0},
	{"text-embedding-ada", "", "", 0.72, strong, 0},
	{"text-embedding-3-large", "", "", 0.25, strong, 1536},
	{"text-embedding-3", "", "", 0.25, strong, 0},
	{"", "", "", 0.3, weak, 0},
}

// familyOf returns the family of a model.
func familyOf(model string) family {
	model = strings.ToLower(model)
	for _, f := range families {
		if strings.Contains(model, f.word) {
			return f
		}
	}
	return family{}
}

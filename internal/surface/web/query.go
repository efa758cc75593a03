package web

import (
	"net/http"
	"regexp"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/surface/web/html"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
)

// mostRows is how many rows of a query a page shows.
const mostRows = 200

// queryPage is a query in one of the vault's own languages and what it gives.
type queryPage struct {
	Query    string
	Status   string // a sentence for screen readers
	Warnings []string
	HTML     html.Raw
	Problem  *problem
}

// query runs a query that somebody tries.
func (v *visit) query() error {
	if !v.offers("query_vault") {
		return notOffered("queries", "query_vault")
	}
	body := queryPage{Query: strings.TrimSpace(v.r.URL.Query().Get("q"))}
	if body.Query != "" {
		result, err := v.runQuery(queryOrBase(body.Query))
		kind := fault.KindOf(err)
		switch {
		case err == nil:
			body.Status, body.Warnings, body.HTML = result.status(), result.Warnings, v.rendered(result)
		case kind == fault.InvalidArgument || kind == fault.NotFound || kind == fault.AmbiguousName:
			v.status = http.StatusUnprocessableEntity
			body.Problem = &problem{Message: err.Error(), Hint: fault.HintOf(err)}
			body.Status = "The query cannot be run."
		default:
			return err
		}
	}
	v.show("Query", body.view)
	return nil
}

var dataviewQuery = regexp.MustCompile(`(?i)^(table|list|task|calendar)\b|^=|^[^:\n]*\s(from|where|sort)\s`)

// queryOrBase returns the arguments of query_vault for what somebody has typed: a query, or the name or text of a base.
func queryOrBase(text string) map[string]any {
	if dataviewQuery.MatchString(text) {
		return map[string]any{"query": text}
	}
	return map[string]any{"base": text}
}

// queryResult is what query_vault answers.
type queryResult struct {
	Text     string   `json:"text"`
	Total    int      `json:"total"`
	Warnings []string `json:"warnings"`
}

func (v *visit) runQuery(args map[string]any) (result queryResult, err error) {
	args["format"], args["limit"] = "markdown", mostRows
	err = v.ask("query_vault", args, &result)
	return result, err
}

func (q queryResult) status() string {
	if q.Total > mostRows {
		return amount.Of(q.Total, "result") + ", showing " + amount.Number(mostRows)
	}
	return amount.Of(q.Total, "result")
}

// rendered renders the result of a query.
func (v *visit) rendered(result queryResult) html.Raw {
	v.page.rendering <- struct{}{}
	defer func() { <-v.page.rendering }()
	text, _ := beginning([]byte(result.Text))
	return markdown{base: v.page.options.Base, isResult: true}.render(text)
}

// resultLabel finds the type of the callouts that hold results of query blocks in the hint that read_note gives.
var resultLabel = regexp.MustCompile(`\[!(query(?:-[0-9]+)?)\] hold the results`)

func queryLabel(hints []tool.Hint) string {
	for _, hint := range hints {
		if found := resultLabel.FindStringSubmatch(hint.Text); found != nil {
			return found[1]
		}
	}
	return ""
}

package search_test

import (
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/testkit/cases"
)

func TestSearchCases(t *testing.T) {
	cases.Run(t, "search", nil, func(t cases.Reporter, test cases.Case) {
		op := cases.Decode[struct {
			Query         string
			CaseSensitive bool `json:"case_sensitive"`
		}](test.Op)
		q, err := search.Parse(op.Query, search.Options{MatchCase: op.CaseSensitive})
		if err != nil {
			t.Errorf("%s: %v", test.ID, err)
			return
		}
		var filters []string
		if app, ok := test.Config["app"]; ok {
			filters = cases.Decode[struct{ UserIgnoreFilters []string }](app).UserIgnoreFilters
		}
		excluded := search.Excluded(filters)
		got := []string{}
		for path, text := range test.Vault {
			parsed, err := vpath.Parse(path) // hidden files are not in the vault
			if err == nil && !excluded(path) && q.Match(fileOf(string(parsed), text)) {
				got = append(got, path)
			}
		}
		slices.Sort(got)
		if want := cases.Decode[struct{ Files []string }](test.Expect).Files; !slices.Equal(got, want) {
			t.Errorf("%s: %s\n%s finds %q, want %q", test.ID, test.Title, op.Query, got, want)
		}
	})
}

func fileOf(path, text string) *search.File {
	f := &search.File{Path: path, Note: strings.HasSuffix(path, ".md"), Canvas: strings.HasSuffix(path, ".canvas")}
	if f.Note || f.Canvas {
		f.Text = []byte(text)
	}
	return f
}

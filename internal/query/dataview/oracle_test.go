package dataview_test

import (
	"testing"

	"obsidian-mcp/internal/query/dataview"
	"obsidian-mcp/internal/testkit/cases"
)

// TestOracle compares with how the plugin's own parser reads generated expressions and queries, as tools/oracle/dataview.mjs
// prints it.
func TestOracle(t *testing.T) {
	type answer struct {
		Text            string
		Query, Accepted bool
		Tree            any
	}
	cases.EachAnswer(t, "OBSIDIAN_MCP_TEST_DATAVIEW", func(c answer) bool {
		var tree any
		var err error
		if c.Query {
			var query *dataview.Query
			if query, err = dataview.Parse(c.Text, clock); err == nil {
				tree = dataview.Tree(query, plain)
			}
		} else {
			var expression dataview.Expression
			if expression, err = dataview.ParseExpression(c.Text, clock); err == nil {
				tree = dataview.ExpressionTree(expression, plain)
			}
		}
		if (err == nil) != c.Accepted {
			t.Errorf("%q: %v, want accepted %v", c.Text, err, c.Accepted)
			return false
		}
		if diff := cases.DiffJSON(tree, c.Tree); diff != "" {
			t.Errorf("%q, plugin (-), ours (+):\n%s", c.Text, diff)
			return false
		}
		return true
	})
}

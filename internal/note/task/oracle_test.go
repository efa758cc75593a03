package task_test

import (
	"testing"

	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/testkit/cases"
)

// TestOracle compares with what the library rrule says about generated recurrences, as tools/oracle/rrule.mjs prints it.
func TestOracle(t *testing.T) {
	cases.EachAnswer(t, "OBSIDIAN_MCP_TEST_RRULE", func(c struct{ Rule, Due, Text, Next string }) bool {
		text, next := "", ""
		if rule, ok := task.ReadRecurrence(c.Rule); ok {
			due := date(t, c.Due)
			text = rule.Text()
			if dates, ok := rule.Next(task.Dates{Due: &due}, due, false); ok {
				next = *show(dates.Due)
			}
		}
		if text == c.Text && next == c.Next {
			return true
		}
		t.Errorf("%q from %s: %q, %s; want %q, %s", c.Rule, c.Due, text, next, c.Text, c.Next)
		return false
	})
}

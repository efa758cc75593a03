package task_test

import (
	"encoding/json"
	"os"
	"testing"

	"obsidian-mcp/internal/note/task"
)

// TestOracle compares with what the library rrule says about generated recurrences: one JSON object a line, as
// tools/oracle/rrule.mjs prints them, in the file that OBSIDIAN_MCP_TEST_RRULE names.
func TestOracle(t *testing.T) {
	name := os.Getenv("OBSIDIAN_MCP_TEST_RRULE")
	if name == "" {
		t.Skip("make oracle runs it")
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	count, wrong := 0, 0
	for decoder := json.NewDecoder(file); decoder.More() && wrong < 20; count++ {
		var c struct{ Rule, Due, Text, Next string }
		if err := decoder.Decode(&c); err != nil {
			t.Fatal(err)
		}
		text, next := "", ""
		if rule, ok := task.ReadRecurrence(c.Rule); ok {
			due := date(t, c.Due)
			text = rule.Text()
			if dates, ok := rule.Next(task.Dates{Due: &due}, due, false); ok {
				next = *show(dates.Due)
			}
		}
		if text != c.Text || next != c.Next {
			t.Errorf("%q from %s: %q, %s; want %q, %s", c.Rule, c.Due, text, next, c.Text, c.Next)
			wrong++
		}
	}
	if count < 1000 {
		t.Fatalf("only %d inputs", count)
	}
	t.Logf("%d inputs compared", count)
}

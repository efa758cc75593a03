package kanban_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/kanban"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/testkit/cases"
)

// TestKanbanCases compares boards after a change with those of the plugin's own code, with the least change.
func TestKanbanCases(t *testing.T) {
	type boardCase struct {
		ID, Title, Confidence, Now, Before string
		TasksPlugin                        bool `json:"tasks_plugin"`
		App                                struct{ UseTab *bool }
		Op                                 struct {
			Name, Card, From, To, Lane, Text string
			Position                         json.RawMessage
		}
		Expect struct {
			Text        string
			MinimalText string `json:"minimal_text"`
		}
	}
	all := cases.List[boardCase](t, "tasks/cases/kanban.json")
	for _, c := range all {
		now, _ := moment.English().Parse(c.Now, "YYYY-MM-DDTHH:mm", moment.Time{})
		board, ok := kanban.Open(md.Scan([]byte(c.Before)))
		if !ok {
			t.Errorf("%s: not a board", c.ID)
			continue
		}
		settings := task.Defaults()
		mark := func(line string, done bool) (string, string) {
			read, _ := settings.Parse(line)
			symbol := " "
			if done {
				symbol = "x"
			} else if read.Status.Type != task.Done {
				return line, ""
			}
			if !c.TasksPlugin {
				return strings.Replace(line, "["+read.Status.Symbol+"]", "["+symbol+"]", 1), ""
			}
			changed := settings.SetStatus(read, symbol, now.Date)
			if changed.Copy < 0 {
				return changed.Lines[0], ""
			}
			return changed.Lines[1-changed.Copy], changed.Lines[changed.Copy]
		}
		find := func(title string) (lane, card int) {
			lane = board.Lane(title)
			return lane, slices.IndexFunc(board.Lanes[lane].Cards, func(card kanban.Card) bool { return strings.Contains(card.Text, c.Op.Card) })
		}
		position := kanban.Bottom
		switch string(c.Op.Position) {
		case `"top"`:
			position = 0
		case `"bottom"`, "":
		default:
			_ = json.Unmarshal(c.Op.Position, &position)
		}
		var splices []md.Splice
		switch c.Op.Name {
		case "move_card":
			lane, card := find(c.Op.From)
			splices = board.Move(lane, card, board.Lane(c.Op.To), position, mark)
		case "archive_card":
			lane, card := find(c.Op.Lane)
			splices = board.Archive(lane, card, now, moment.English())
		case "add_card":
			indent := "\t"
			if c.App.UseTab != nil && !*c.App.UseTab {
				indent = "    "
			}
			splices = board.Add(board.Lane(c.Op.Lane), position, c.Op.Text, indent, mark)
		}
		slices.SortStableFunc(splices, func(a, b md.Splice) int { return a.Start - b.Start })
		want := c.Expect.MinimalText
		if want == "" {
			want = c.Expect.Text
		}
		if diff := cmp.Diff(want, string(md.Apply([]byte(c.Before), splices))); diff != "" {
			t.Errorf("%s: %s (-want +got)\n%s", c.ID, c.Title, diff)
		}
	}
	t.Logf("kanban: %d cases ran", len(all))
}

package crash

import (
	"encoding/json"
	"fmt"
	"strings"
)

// listed is a change as the history lists it.
type listed struct{ ID, Tool, Summary string }

// history lists the newest changes.
func (w *world) history(ask asker, limit int) ([]listed, error) {
	answer, err := ask("list_changes", map[string]any{"limit": limit})
	if err != nil {
		return nil, err
	}
	var list struct{ Changes []listed }
	err = json.Unmarshal(answer, &list)
	return list.Changes, err
}

// newest is how many changes of the history are checked.
const newest = 30

// remembered checks the history against the changes that were made: it lists the newest ones in their order, under the IDs
// that the answers gave, and no others, and can show the last one. It only looks half of the time, because looking must
// make no difference.
func (w *world) remembered(ask asker) error {
	if w.random.IntN(2) == 0 {
		return nil
	}
	got, err := w.history(ask, newest)
	if err != nil {
		return err
	}
	want := w.past[max(0, len(w.past)-newest):]
	wrong := len(got) != len(want)
	for i := 0; i < len(want) && !wrong; i++ {
		made, listed := want[len(want)-1-i], got[i]
		wrong = made.tool != listed.Tool || made.id != "" && made.id != listed.ID
	}
	if wrong {
		return fmt.Errorf("the history lists, newest first:\n%s\nbut the changes made are:\n%s", describeListed(got), describeMade(want))
	}
	if len(got) > 0 {
		_, err = ask("show_change", map[string]any{"id": got[0].ID})
	}
	return err
}

func describeListed(changes []listed) string {
	var lines []string
	for _, change := range changes[:min(len(changes), 8)] {
		lines = append(lines, fmt.Sprint(change.Tool, " ", change.ID, " ", change.Summary))
	}
	return strings.Join(lines, "\n")
}

func describeMade(made []change) string {
	var lines []string
	for i := len(made) - 1; i >= 0 && len(lines) < 8; i-- {
		lines = append(lines, fmt.Sprint(made[i].tool, " ", made[i].id, " ", made[i].arguments["name"]))
	}
	return strings.Join(lines, "\n")
}

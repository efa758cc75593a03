package crash

import (
	"encoding/json"
	"fmt"
	"strings"
)

// listed is a change as the history tells it.
type listed struct{ ID, Tool, Summary string }

// history lists the newest changes.
func (w *world) history(ask asker, limit int) ([]listed, error) {
	told, err := ask("list_changes", map[string]any{"limit": limit})
	if err != nil {
		return nil, err
	}
	var list struct{ Changes []listed }
	err = json.Unmarshal(told, &list)
	return list.Changes, err
}

// newest is how many changes the history is asked for.
const newest = 30

// remembered holds the history to the changes that were made: the newest ones
// are in it, in their order, under the ids that they were answered with, and
// none that was not made; and the last one can be shown. Half of the time
// nobody looks, which must make no difference.
func (w *world) remembered(ask asker) error {
	if w.random.IntN(2) == 0 {
		return nil
	}
	told, err := w.history(ask, newest)
	if err != nil {
		return err
	}
	want := w.past[max(0, len(w.past)-newest):]
	wrong := len(told) != len(want)
	for i := 0; i < len(want) && !wrong; i++ {
		made, is := want[len(want)-1-i], told[i]
		wrong = made.tool != is.Tool || made.id != "" && made.id != is.ID
	}
	if wrong {
		return fmt.Errorf("the history tells, the newest first:\n%s\nand what was made is:\n%s", describeListed(told), describeMade(want))
	}
	if len(told) > 0 {
		_, err = ask("show_change", map[string]any{"id": told[0].ID})
	}
	return err
}

func describeListed(told []listed) string {
	var lines []string
	for _, one := range told[:min(len(told), 8)] {
		lines = append(lines, fmt.Sprint(one.Tool, " ", one.ID, " ", one.Summary))
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

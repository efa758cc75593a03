package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/text/visible"
	"obsidian-mcp/internal/tool"
)

// history lists changes, or shows one.
func (p Program) history() *cobra.Command {
	cmd := &cobra.Command{Use: "history [ID]", Short: "what tools changed in the vault; with an id, what exactly", Args: func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return &usage{errors.New("history takes one change, or none for all of them")}
		}
		return nil
	}}
	p.takeParams(cmd, "list_changes")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return inCommands(p.withTools(cmd, func(call caller) error {
			if len(args) > 0 {
				return p.showChange(call, args[0])
			}
			answer, err := call("list_changes", p.given(cmd, "list_changes"))
			if err != nil {
				return err
			}
			return p.printChanges(answer)
		}))
	}
	return cmd
}

// undo takes a change back, and shows what that changed.
func (p Program) undo() *cobra.Command {
	cmd := &cobra.Command{Use: "undo ID", Short: "take a change back", Args: func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return &usage{fmt.Errorf("which change? obsidian-mcp history lists them")}
		}
		return nil
	}}
	p.takeParams(cmd, "undo_change", "id")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return inCommands(p.withTools(cmd, func(call caller) error {
			arguments := p.given(cmd, "undo_change")
			arguments["id"] = args[0]
			answer, err := call("undo_change", arguments)
			if err != nil {
				return err
			}
			return p.printUndone(call, answer)
		}))
	}
	return cmd
}

// listedChange is a change as list_changes tells of it.
type listedChange struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Tool    string    `json:"tool"`
	Client  string    `json:"client"`
	Summary string    `json:"summary"`
}

func (p Program) printChanges(answer tool.Answer) error {
	var list struct{ Changes []listedChange }
	if err := json.Unmarshal(answer.JSON, &list); err != nil {
		return err
	}
	if len(list.Changes) == 0 {
		_, err := fmt.Fprintln(p.Out, "no changes are recorded")
		return err
	}
	undone, _ := answer.Meta["undone"].([]string)
	for _, one := range list.Changes {
		id, summary := p.paint(bold, one.ID), visible.Name(one.Summary)
		if slices.Contains(undone, one.ID) {
			summary += " (undone)"
		}
		if _, err := fmt.Fprintf(p.Out, "%s  %s  %s  %s  %s\n", id, one.Time.Local().Format("2006-01-02 15:04:05"), one.Tool, summary, p.paint(dim, visible.Name(one.Client))); err != nil {
			return err
		}
	}
	return nil
}

func (p Program) showChange(call caller, id string) error {
	answer, err := call("show_change", map[string]string{"id": id})
	if err != nil {
		return err
	}
	return p.printDiff(answer.Text)
}

// printUndone shows what an undo did, or would do.
func (p Program) printUndone(call caller, answer tool.Answer) error {
	var undone struct {
		Restored []string `json:"restored"`
		DryRun   bool     `json:"dry_run"`
	}
	if err := json.Unmarshal(answer.JSON, &undone); err != nil {
		return err
	}
	removed, _ := answer.Meta["removed"].([]string)
	restored := undone.Restored[:len(undone.Restored)-len(removed)]
	said := "nothing to do: all is as it was before"
	if would := undone.DryRun; len(undone.Restored) > 0 {
		said = strings.Join(slices.DeleteFunc([]string{
			enumerate(would, "restore", "restored", restored), enumerate(would, "put to the trash", "put to the trash", removed),
		}, func(part string) bool { return part == "" }), "; ")
	}
	if _, err := fmt.Fprintln(p.Out, said); err != nil {
		return err
	}
	if id, ok := answer.Meta["change_id"].(string); ok {
		return p.showChange(call, id)
	}
	return nil
}

// enumerate says what was, or would be, done to which notes; nothing if there
// are none.
func enumerate(would bool, do, done string, notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	names := make([]string, len(notes))
	for i, name := range notes {
		names[i] = visible.Name(name)
	}
	if would {
		done = "would " + do
	}
	return done + " " + strings.Join(names, ", ")
}

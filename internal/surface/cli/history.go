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
	cmd := &cobra.Command{Use: "history [ID]", Short: "list the changes that tools made, or show one of them"}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return &usage{errors.New("history takes at most one change")}
		}
		return nil
	}
	p.addParamFlags(cmd, "list_changes")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return inCommands(p.withTools(cmd, func(call caller) error {
			if len(args) > 0 {
				return p.showChange(call, args[0])
			}
			answer, err := call("list_changes", p.arguments(cmd, "list_changes"))
			if err != nil {
				return err
			}
			return p.printChanges(answer)
		}))
	}
	return cmd
}

// undo reverts changes as one unit, and shows the result as a diff.
func (p Program) undo() *cobra.Command {
	cmd := &cobra.Command{Use: "undo [ID…]", Short: "undo a change, or several as one", Args: func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && !cmd.Flags().Changed("session") && !cmd.Flags().Changed("since") {
			return &usage{errors.New("which change? obsidian-mcp history lists them")}
		}
		return nil
	}}
	p.addParamFlags(cmd, "undo_change", "id", "ids")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ids, err := json.Marshal(args)
		if err != nil {
			return err
		}
		return inCommands(p.withTools(cmd, func(call caller) error {
			arguments := p.arguments(cmd, "undo_change")
			switch len(args) {
			case 0:
			case 1:
				arguments["id"] = args[0]
			default:
				arguments["ids"] = string(ids)
			}
			answer, err := call("undo_change", arguments)
			if err != nil {
				return err
			}
			return p.printUndone(call, answer)
		}))
	}
	return cmd
}

// listedChange is a change in the answer of list_changes.
type listedChange struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Tool    string    `json:"tool"`
	Client  string    `json:"client"`
	Session string    `json:"session"`
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
	for _, change := range list.Changes {
		id, summary := p.paint(bold, change.ID), visible.Name(change.Summary)
		if slices.Contains(undone, change.ID) {
			summary += " (undone)"
		}
		_, err := fmt.Fprintf(p.Out, "%s  %s  %s  %s  %s\n", id, change.Time.Local().Format(time.DateTime), change.Tool,
			summary, p.paint(dim, strings.TrimSpace(visible.Name(change.Client)+"  "+change.Session)))
		if err != nil {
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
		Restored  []string `json:"restored"`
		DryRun    bool     `json:"dry_run"`
		Conflicts []struct{ ID, Note, Reason string }
	}
	if err := json.Unmarshal(answer.JSON, &undone); err != nil {
		return err
	}
	removed, _ := answer.Meta["removed"].([]string)
	restored := undone.Restored[:len(undone.Restored)-len(removed)]
	summary := "nothing to undo: the notes are as they were before the change"
	if would := undone.DryRun; len(undone.Restored) > 0 {
		summary = strings.Join(slices.DeleteFunc([]string{
			enumerate(would, "restore", "restored", restored),
			enumerate(would, "move to the trash:", "moved to the trash:", removed),
		}, func(part string) bool { return part == "" }), "; ")
	}
	if _, err := fmt.Fprintln(p.Out, summary); err != nil {
		return err
	}
	for _, found := range undone.Conflicts {
		reason := wholeHash.ReplaceAllString(found.Reason, "$1…")
		if _, err := fmt.Fprintf(p.Out, "conflict with %s: %s: %s\n", found.ID, visible.Name(found.Note), visible.Name(reason)); err != nil {
			return err
		}
	}
	if id, ok := answer.Meta["change_id"].(string); ok {
		return p.showChange(call, id)
	}
	return nil
}

// enumerate says what was, or would be, done to the notes. It returns "" if there are no notes.
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

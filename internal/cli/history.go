package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/tool"
)

// history lists changes, or shows one.
func (p Program) history() *cobra.Command {
	cmd := &cobra.Command{Use: "history [ID]", Short: "what tools changed in the vault; with an id, what exactly", Args: cobra.MaximumNArgs(1)}
	p.takeParams(cmd, "list_changes")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.withTools(cmd, func(call caller) error {
			if len(args) > 0 {
				return p.showChange(call, args[0])
			}
			answer, err := call("list_changes", p.given(cmd, "list_changes"))
			if err != nil {
				return err
			}
			return p.printChanges(answer)
		})
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
		return p.withTools(cmd, func(call caller) error {
			arguments := p.given(cmd, "undo_change")
			arguments["id"] = args[0]
			answer, err := call("undo_change", arguments)
			if err != nil {
				return err
			}
			return p.printUndone(call, answer)
		})
	}
	return cmd
}

// caller calls a tool of an open vault.
type caller func(name string, arguments map[string]string) (tool.Answer, error)

// withTools opens the vault for as long as a command runs.
func (p Program) withTools(cmd *cobra.Command, run func(caller) error) error {
	settings, err := p.settings(cmd)
	if err != nil {
		return err
	}
	tools, closer, err := p.Open(cmd.Context(), settings)
	if err != nil {
		return err
	}
	defer closer.Close()
	return run(func(name string, arguments map[string]string) (tool.Answer, error) {
		encoded, err := json.Marshal(arguments)
		if err != nil {
			return tool.Answer{}, err
		}
		return p.run(cmd.Context(), settings, tools, name, encoded)
	})
}

// takeParams gives a command the parameters of a tool as flags, but for those
// that it takes otherwise.
func (p Program) takeParams(cmd *cobra.Command, name string, but ...string) {
	one, err := p.Tools.Find(name)
	if err != nil {
		return // who runs the command is told that there is no such tool
	}
	for _, param := range one.Params {
		if !slices.Contains(but, param.Name) {
			addFlag(cmd, param)
		}
	}
}

// given are the arguments that were given as flags.
func (p Program) given(cmd *cobra.Command, name string) map[string]string {
	one, _ := p.Tools.Find(name)
	arguments := map[string]string{}
	for _, param := range one.Params {
		if flag := cmd.Flags().Lookup(flagName(param)); flag != nil && flag.Changed {
			arguments[param.Name] = flag.Value.String()
		}
	}
	return arguments
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
	for _, one := range list.Changes {
		id := p.paint(bold, one.ID)
		if _, err := fmt.Fprintf(p.Out, "%s  %s  %s  %s  %s\n", id, one.Time.Local().Format("2006-01-02 15:04:05"), one.Tool, printable(one.Summary), p.paint(dim, printable(one.Client))); err != nil {
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
		names[i] = printable(name)
	}
	if would {
		done = "would " + do
	}
	return done + " " + strings.Join(names, ", ")
}

// printDiff prints a diff, in colour on a terminal. Notes' text may hold what
// terminals take for orders.
func (p Program) printDiff(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if _, err := io.WriteString(p.Out, p.paint(colourOf(line), harmless(line))+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// harmless shows control characters instead of having a terminal obey them.
func harmless(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case r < ' ':
			return 0x2400 + r // its picture
		case r == 0x7f:
			return 0x2421
		case r > 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return 0xfffd
		}
		return r
	}, line)
}

// What is painted on a terminal.
const (
	red   = "31"
	green = "32"
	cyan  = "36"
	bold  = "1"
	dim   = "2"
)

func colourOf(line string) string {
	for _, one := range []struct{ prefix, colour string }{
		{"change ", bold}, {"--- ", bold}, {"+++ ", bold}, {"rename ", bold}, {"trashed ", bold}, {"@@", cyan}, {"-", red}, {"+", green},
	} {
		if strings.HasPrefix(line, one.prefix) {
			return one.colour
		}
	}
	return ""
}

func (p Program) paint(colour, text string) string {
	if colour == "" || p.Coloured == nil || !p.Coloured() {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

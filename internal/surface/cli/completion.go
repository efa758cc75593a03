package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/text/visible"
	"obsidian-mcp/internal/tool"
)

// shells maps each supported shell to the function that writes its completion script.
var shells = map[string]func(*cobra.Command, io.Writer) error{
	"bash":       func(root *cobra.Command, out io.Writer) error { return root.GenBashCompletionV2(out, true) },
	"fish":       func(root *cobra.Command, out io.Writer) error { return root.GenFishCompletion(out, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	"zsh":        (*cobra.Command).GenZshCompletion,
}

// completion prints a shell's completion script. Shells run the output, so a wrong argument is an error rather than help.
func (p Program) completion() *cobra.Command {
	names := slices.Sorted(maps.Keys(shells))
	return &cobra.Command{Use: "completion SHELL", ValidArgs: names,
		Short: "print the completion script for a shell: " + strings.Join(names, ", "),
		Long: "Prints a script that completes commands, settings and their values, tools and their parameters, vaults " +
			"and changes. To load it: source <(obsidian-mcp completion bash)",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return &usage{fmt.Errorf("which shell? One of %s", strings.Join(names, ", "))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return shells[args[0]](cmd.Root(), p.Out) }}
}

// offerParams makes shells offer only a tool's parameters as long as one of them matches what was typed: among all the
// settings they would be lost.
func (p Program) offerParams(root *cobra.Command, args []string) {
	if len(args) < 4 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) || args[1] != "call" {
		return
	}
	typed, isFlag := strings.CutPrefix(args[len(args)-1], "--")
	called, err := p.Tools.Find(args[2])
	if err != nil || !isFlag {
		return
	}
	matches := func(param tool.Param) bool { return strings.HasPrefix(flagName(param), typed) }
	if slices.ContainsFunc(called.Params, matches) {
		hideSettings(root)
	}
}

// complete adds completion for the values of settings and parameters, vaults and changes. Cobra completes commands and
// flags itself.
func (p Program) complete(root *cobra.Command) {
	for _, setting := range config.Settings() {
		mustRegister(root, setting.Flag(), p.completeSetting(setting))
	}
	mustRegister(root, "config", files("yaml", "yml"))
	mustRegister(root, "quiet", cobra.NoFileCompletions)
	for _, cmd := range allCommands(root) {
		switch cmd.Name() {
		case "history", "undo":
			cmd.ValidArgsFunction = p.completeChanges
		case "pull", "push":
			cmd.ValidArgsFunction = folders
		case "batch":
			cmd.ValidArgsFunction = files("jsonl", "ndjson", "json")
		default:
			if cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
				cmd.ValidArgsFunction = cobra.NoFileCompletions
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) { p.completeParam(cmd, flag) })
	}
}

// allCommands returns the commands below a command, at any depth.
func allCommands(parent *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, cmd := range parent.Commands() {
		all = append(append(all, cmd), allCommands(cmd)...)
	}
	return all
}

// mustRegister panics for a flag that does not exist, which tests would notice.
func mustRegister(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// completeSetting completes the value of a setting's flag.
func (p Program) completeSetting(setting config.Setting) cobra.CompletionFunc {
	if len(setting.Valid) > 0 {
		return cobra.FixedCompletions(setting.Valid, cobra.ShellCompDirectiveNoFileComp)
	}
	switch setting.Kind {
	case config.KindBool:
		return cobra.FixedCompletions([]string{"true", "false"}, cobra.ShellCompDirectiveNoFileComp)
	case config.KindBoolOrAuto:
		return cobra.FixedCompletions([]string{"auto", "true", "false"}, cobra.ShellCompDirectiveNoFileComp)
	case config.KindToolsets:
		return p.completeToolsets
	case config.KindVaultName:
		return completeVaults
	case config.KindFolder:
		return folders
	case config.KindFile:
		return files("jsonl", "log")
	}
	return cobra.NoFileCompletions
}

// completeParam completes a flag of the command itself: a tool's parameter or an option.
func (p Program) completeParam(cmd *cobra.Command, flag *pflag.Flag) {
	complete := cobra.NoFileCompletions
	switch {
	case flag.NoOptDefVal == "true":
		complete = cobra.FixedCompletions([]string{"true", "false"}, cobra.ShellCompDirectiveNoFileComp)
	case flag.Name == "id" || flag.Name == "change-id":
		complete = p.completeChanges
	case flag.Name == "config-file":
		return // a file of any kind
	}
	if _, has := cmd.GetFlagCompletionFunc(flag.Name); !has {
		mustRegister(cmd, flag.Name, complete)
	}
}

// completeToolsets completes the last toolset in a comma-separated list.
func (p Program) completeToolsets(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before, last := "", typed
	if at := strings.LastIndexByte(typed, ','); at >= 0 {
		before, last = typed[:at+1], typed[at+1:]
	}
	if strings.HasPrefix(last, "-") {
		before += "-"
	}
	names := []string{"default", "all"}
	for _, t := range p.Tools.All() {
		if !slices.Contains(names, t.Toolset) {
			names = append(names, t.Toolset)
		}
	}
	for i := range names {
		names[i] = before + names[i]
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeVaults completes the names of the vaults in Obsidian's list.
func completeVaults(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, vault := range config.UserRegistry().Vaults() {
		names = append(names, cobra.CompletionWithDesc(vault.Name, vault.Path))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeChanges completes the ids of the latest changes. The user has just pressed Tab: no completion is better than a
// late one or an error.
func (p Program) completeChanges(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && cmd.Name() != "undo" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), 2*time.Second)
	defer cancel()
	cmd.SetContext(ctx)
	var ids []string
	_ = p.withTools(cmd, func(call caller) error {
		answer, err := call("list_changes", map[string]string{"limit": "20"})
		if err != nil {
			return err
		}
		var list struct{ Changes []listedChange }
		err = json.Unmarshal(answer.JSON, &list)
		for _, change := range list.Changes {
			if slices.Contains(args, change.ID) {
				continue
			}
			about := change.Time.Local().Format("2006-01-02 15:04") + " " + visible.Name(change.Summary)
			ids = append(ids, cobra.CompletionWithDesc(change.ID, about))
		}
		return err
	})
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// files completes files with the given extensions.
func files(extensions ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

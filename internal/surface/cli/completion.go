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

// shells are those for which completion is made, and how.
var shells = map[string]func(*cobra.Command, io.Writer) error{
	"bash":       func(root *cobra.Command, out io.Writer) error { return root.GenBashCompletionV2(out, true) },
	"fish":       func(root *cobra.Command, out io.Writer) error { return root.GenFishCompletion(out, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	"zsh":        (*cobra.Command).GenZshCompletion,
}

// completion prints what a shell reads to complete commands. Whoever has a shell
// run it must not be given help instead.
func (p Program) completion() *cobra.Command {
	known := slices.Sorted(maps.Keys(shells))
	return &cobra.Command{Use: "completion SHELL", Short: "completion for a shell: " + strings.Join(known, ", "), ValidArgs: known,
		Long: "Prints what a shell reads to complete commands, settings and their values, tools and their parameters, vaults and changes, such as: source <(obsidian-mcp completion bash)",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return &usage{fmt.Errorf("which shell? One of %s", strings.Join(known, ", "))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return shells[args[0]](cmd.Root(), p.Out) }}
}

// offerParams has the shells offer a tool's parameters before all the settings,
// among which they would be lost: a setting has to be begun with letters that no
// parameter begins with.
func (p Program) offerParams(root *cobra.Command, args []string) {
	if len(args) < 4 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) || args[1] != "call" {
		return
	}
	typed, isFlag := strings.CutPrefix(args[len(args)-1], "--")
	one, err := p.Tools.Find(args[2])
	if err != nil || !isFlag || !slices.ContainsFunc(one.Params, func(param tool.Param) bool { return strings.HasPrefix(flagName(param), typed) }) {
		return
	}
	hideSettings(root)
}

// complete teaches the shells what may follow: values of settings and of tools'
// parameters, vaults, changes. Commands and flags they know already.
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

// allCommands are those below a command, at any depth.
func allCommands(of *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, cmd := range of.Commands() {
		all = append(append(all, cmd), allCommands(cmd)...)
	}
	return all
}

// mustRegister fails only for a flag that does not exist, which tests would
// notice.
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

// completeParam completes a flag of a command's own: a parameter of a tool, or
// an option.
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

// completeToolsets completes the last of several toolsets.
func (p Program) completeToolsets(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before, last := "", typed
	if at := strings.LastIndexByte(typed, ','); at >= 0 {
		before, last = typed[:at+1], typed[at+1:]
	}
	if strings.HasPrefix(last, "-") {
		before += "-"
	}
	names := []string{"default", "all"}
	for _, one := range p.Tools.All() {
		if !slices.Contains(names, one.Toolset) {
			names = append(names, one.Toolset)
		}
	}
	for i := range names {
		names[i] = before + names[i]
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeVaults completes the vaults that Obsidian knows.
func completeVaults(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, vault := range config.UserRegistry().Vaults() {
		names = append(names, cobra.CompletionWithDesc(vault.Name, vault.Path))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeChanges completes the ids of the last changes. Who waits for it has
// pressed a key: it says nothing rather than something late, or an error.
func (p Program) completeChanges(cmd *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(given) > 0 {
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
		for _, one := range list.Changes {
			ids = append(ids, cobra.CompletionWithDesc(one.ID, one.Time.Local().Format("2006-01-02 15:04")+" "+visible.Name(one.Summary)))
		}
		return err
	})
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// folders completes folders.
func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// files completes files of some kinds.
func files(extensions ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault/call"
)

// call has one subcommand per tool, built from the registry.
func (p Program) call() *cobra.Command {
	call := &cobra.Command{
		Use: "call TOOL [--param value …]", Short: "run one tool and print its answer",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usage{errors.New("which tool? See obsidian-mcp tools")}
			}
			_, err := p.Tools.Find(args[0])
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, t := range p.Tools.All() {
		call.AddCommand(p.callTool(t))
	}
	return call
}

func (p Program) callTool(t tool.Tool) *cobra.Command {
	cmd := &cobra.Command{Use: t.Name, Short: t.Title, Long: t.About}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		hint := "see obsidian-mcp call " + t.Name + " --help"
		if len(t.Params) > 0 {
			hint = fmt.Sprintf("did you mean --%s %q?", flagName(t.Params[0]), args[0])
		}
		return fault.InvalidArgument.Errorf("'%s' is not preceded by a parameter's flag", args[0]).WithHint("%s", hint)
	}
	p.addParamFlags(cmd, t.Name)
	files := addFileFlags(cmd, t)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		arguments := p.arguments(cmd, t.Name)
		if err := files.load(arguments); err != nil {
			return err
		}
		return p.withTools(cmd, func(call caller) error { return p.callOnce(call, t.Name, arguments, files.save) })
	}
	return cmd
}

func addFlag(cmd *cobra.Command, param tool.Param) {
	about := param.About
	if param.Required {
		about += " (required)"
	}
	cmd.Flags().String(flagName(param), param.Default, about)
	if param.Type == "boolean" {
		cmd.Flags().Lookup(flagName(param)).NoOptDefVal = "true"
	}
}

// joinBooleans turns "--dry-run false" into "--dry-run=false", so that boolean parameters accept a space as the others do.
func (p Program) joinBooleans(args []string) []string {
	at := slices.Index(args, "call")
	if at < 0 || at+1 >= len(args) {
		return args
	}
	called, err := p.Tools.Find(args[at+1])
	if err != nil {
		return args
	}
	joined := slices.Clone(args[:at+2])
	for rest := args[at+2:]; len(rest) > 0; rest = rest[1:] {
		isBoolean := slices.ContainsFunc(called.Params, func(param tool.Param) bool {
			return param.Type == "boolean" && strings.ReplaceAll(rest[0], "_", "-") == "--"+flagName(param)
		})
		if isBoolean && len(rest) > 1 && (rest[1] == "true" || rest[1] == "false") {
			joined = append(joined, rest[0]+"="+rest[1])
			rest = rest[1:]
			continue
		}
		joined = append(joined, rest[0])
	}
	return joined
}

func flagName(param tool.Param) string { return strings.ReplaceAll(param.Name, "_", "-") }

func (p Program) callOnce(call caller, name string, arguments map[string]string, save func(tool.Answer) error) error {
	for name, value := range arguments {
		if !utf8.ValidString(value) {
			return fault.InvalidArgument.Errorf("the parameter '%s' is not valid UTF-8", name)
		}
	}
	answer, err := call(name, arguments)
	for _, line := range answer.HintLines() {
		fmt.Fprintln(p.Err, line)
	}
	if err != nil {
		return err
	}
	if answer.JSON != nil {
		answer.Text += "\n"
	}
	if _, err := io.WriteString(p.Out, answer.Text); err != nil {
		return err
	}
	return save(answer)
}

// asShell returns a context whose calls are recorded as those of one session in a shell.
func asShell(ctx context.Context) context.Context {
	return call.WithCaller(ctx, call.Caller{Client: "command line", Session: call.NewSession()})
}

// run calls one tool, within the time limit of a call.
func (p Program) run(
	ctx context.Context, settings config.Config, tools *tool.Registry, name string, arguments json.RawMessage,
) (tool.Answer, error) {
	called, err := tools.Find(name)
	if err != nil {
		return tool.Answer{}, p.notOffered(settings, name, err)
	}
	limit := settings.CallTimeout
	if called.Needs == tool.NeedsSync { // a command waits for the sync that it has started
		limit = max(limit, 2*settings.Outside.Sync.Timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer, err := called.Call(ctx, arguments)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fault.Timeout.Errorf("the call took longer than %v", limit)
	}
	if err != nil && fault.KindOf(err) == fault.Internal {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return answer, err
}

// notOffered says why a tool that exists is not offered.
func (p Program) notOffered(settings config.Config, name string, unknown error) error {
	exists, err := p.Tools.Find(name)
	switch {
	case err != nil:
		return unknown
	case exists.Needs != tool.NeedsNothing && !settings.Outside.Configures(string(exists.Needs)):
		return fault.InvalidArgument.Errorf("'%s' is not offered: the config file has no '%s'", name, exists.Needs).
			WithHint("docs/CONFIGURATION.md shows what to write")
	case settings.ReadOnly:
		return fault.PermissionDenied.Errorf("'%s' is not offered: the server is read-only", name)
	case settings.History.Mode == config.HistoryOff:
		return fault.InvalidArgument.Errorf("'%s' is not offered: changes are not recorded", name).
			WithHint("OBSIDIAN_MCP_HISTORY is off")
	}
	return unknown
}

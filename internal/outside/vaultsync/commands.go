package vaultsync

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system/child"
)

// runner runs the programs of a sync in the vault's folder.
type runner struct{ options Options }

// command runs a program with the environment of the options, unless it has one of its own.
func (r runner) command(ctx context.Context, command child.Command) (child.Result, error) {
	command.Dir = r.options.Dir
	if command.Environment == nil {
		command.Environment = r.options.Environment
	}
	return child.Run(ctx, command)
}

// commands syncs with commands that say nothing but whether they succeeded.
type commands struct {
	run     runner
	steps   []step
	look    step // may be empty
	stateOf func(child.Result) State
	advise  func(output string) string // for a failed step
}

// step is a command, and the setting that it comes from.
type step struct {
	setting string
	args    []string
}

// commandsOf are the commands of the presets, and those of the config file.
func commandsOf(run runner) *commands {
	options := run.options
	switch options.Preset {
	case "rclone":
		return &commands{
			run: run,
			steps: []step{{"sync.remote", []string{
				"rclone", "bisync", options.Dir, options.Remote, "--resilient", "--recover", "--conflict-resolve", "none",
			}}},
			look:    step{"sync.remote", []string{"rclone", "check", options.Dir, options.Remote, "--combined", "-"}},
			stateOf: rcloneState,
			advise: func(output string) string {
				if strings.Contains(output, "--resync") {
					return fmt.Sprintf("the first time, and after some failures, a person must run: rclone bisync %q %q --resync --dry-run, look at it, and repeat it without --dry-run", options.Dir, options.Remote)
				}
				return ""
			},
		}
	case "obsidian-headless":
		return &commands{
			run:   run,
			steps: []step{{"sync.preset", []string{"ob", "sync", "--path", options.Dir}}},
			look:  step{"sync.preset", []string{"ob", "sync-status", "--path", options.Dir}},
			advise: func(string) string {
				return "run `ob login` and `ob sync-setup` once in the vault's folder"
			},
		}
	}
	own := &commands{run: run, look: step{"sync.status", options.Status}}
	for _, each := range []step{{"sync.pull", options.Pull}, {"sync.push", options.Push}} {
		if len(each.args) > 0 {
			own.steps = append(own.steps, each)
		}
	}
	return own
}

// rcloneState reads the result of rclone check, which exits with 1 if the sides differ and if it fails.
func rcloneState(result child.Result) State {
	switch {
	case result.Exit == 0:
		return UpToDate
	case strings.Contains(result.Both, "differences found"):
		return Pending
	}
	return Failed
}

func (c *commands) sync(ctx context.Context) (Outcome, error) {
	outcome := Outcome{State: UpToDate}
	for _, each := range c.steps {
		result, err := c.run.command(ctx, child.Command{Args: each.args})
		outcome.Output += result.Both
		if err != nil {
			return outcome, naming(each.setting, err)
		}
		if result.Exit != 0 {
			return outcome, c.failure(each, result)
		}
	}
	return outcome, nil
}

func (c *commands) status(ctx context.Context) (Outcome, error) {
	if len(c.look.args) == 0 {
		return Outcome{State: Unknown, Output: "the config file has no sync.status"}, nil
	}
	result, err := c.run.command(ctx, child.Command{Args: c.look.args})
	outcome := Outcome{State: Unknown, Output: result.Both}
	if err != nil {
		return outcome, naming(c.look.setting, err)
	}
	switch {
	case c.stateOf != nil:
		outcome.State = c.stateOf(result)
	case result.Exit != 0:
		outcome.State = Failed
	}
	if outcome.State == Failed {
		return outcome, c.failure(c.look, result)
	}
	return outcome, nil
}

func (c *commands) failure(failed step, result child.Result) error {
	err := fault.StoreUnavailable.Errorf("%s: '%s' failed with exit status %d: %s", failed.setting, commandName(failed.args), result.Exit, lastLines(result.Both))
	if c.advise != nil {
		if advice := c.advise(result.Both); advice != "" {
			return err.WithHint("%s", advice)
		}
	}
	return err
}

// commandName is a program with its first word, as people call it: `git pull`.
func commandName(args []string) string {
	name := filepath.Base(args[0])
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") && !strings.ContainsAny(args[1], `/\`) {
		name += " " + args[1]
	}
	return name
}

// lastLines is the end of an output in one line.
func lastLines(output string) string {
	const most = 300
	words := strings.Join(strings.Fields(output), " ")
	if words == "" {
		return "it printed nothing"
	}
	if len(words) > most {
		words = "… " + strings.ToValidUTF8(words[len(words)-most:], "")
	}
	return words
}

// naming adds the setting to an error of running a command.
func naming(setting string, err error) error { return fmt.Errorf("%s: %w", setting, err) }

// check looks whether each program exists.
func (c *commands) check(ctx context.Context) (string, error) {
	var found []string
	for _, each := range append(c.steps, c.look) {
		if len(each.args) == 0 {
			continue
		}
		where, err := exec.LookPath(each.args[0])
		if err != nil {
			return "", fmt.Errorf("%s: '%s' (%w): %w", each.setting, each.args[0], child.ErrNotFound, err)
		}
		found = append(found, fmt.Sprintf("%s (%s)", commandName(each.args), where))
	}
	if c.run.options.Preset == "rclone" {
		result, err := c.run.command(ctx, child.Command{Args: []string{"rclone", "lsf", "--max-depth", "1", c.run.options.Remote}})
		if err != nil {
			return "", naming("sync.remote", err)
		}
		if result.Exit != 0 {
			return "", c.failure(step{"sync.remote", []string{"rclone", "lsf"}}, result)
		}
	}
	return strings.Join(found, ", "), nil
}

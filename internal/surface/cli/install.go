package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/text/visible"
)

// installer talks to the person who runs install or uninstall. Package install decides what to do.
type installer struct {
	program Program
	plan    *install.Installation
	all     bool
	yes     bool
	quiet   bool

	cmd     *cobra.Command
	answers *bufio.Reader
	leftOut error // why a requested client was left out; the first reason
}

func (p Program) install() *cobra.Command {
	i := &installer{program: p, plan: &install.Installation{}}
	cmd := i.command("install [CLIENT...]", "put this server into the configuration of AI clients, shown as a diff first")
	cmd.Long = "Finds the AI clients on this machine and puts this server into their configuration. The change is shown as a diff,\n" +
		"a backup is kept beside each file, and everything else in it stays as it is. Clients: " + clients.List() + ".\n" +
		"The vault is the one that the settings name, or the one that Obsidian knows; other settings you give are written " +
		"to the entry as well."
	cmd.Flags().StringVar(&i.plan.URL, "url", "",
		"the address of a running HTTP server, such as http://127.0.0.1:1065/mcp, instead of a program to start; add its --token")
	return cmd
}

func (p Program) uninstall() *cobra.Command {
	i := &installer{program: p, plan: &install.Installation{Remove: true}}
	cmd := i.command("uninstall [CLIENT...]", "remove this server from the configuration of AI clients")
	cmd.Flags().StringVar(&i.plan.URL, "url", "", "the address that tells this server's entry from others")
	return cmd
}

// command makes the command with the flags that install and uninstall share.
func (i *installer) command(use, short string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, ValidArgsFunction: completeClients}
	cmd.Flags().StringVar(&i.plan.Name, "name", install.DefaultName, "the entry's name")
	cmd.Flags().StringVar(&i.plan.ConfigFile, "config-file", "",
		"the client's configuration file, if it is not in the usual place")
	cmd.Flags().BoolVar(&i.all, "all", false, "all clients on this machine")
	cmd.Flags().BoolVarP(&i.yes, "yes", "y", false, "write without asking")
	cmd.Flags().BoolVar(&i.plan.DryRun, "dry-run", false, "show the change and write nothing")
	cmd.Flags().BoolVar(&i.plan.Force, "force", false, "change the entry even if it belongs to another program")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := i.prepare(cmd, args); err != nil {
			return err
		}
		err := i.run(args)
		if errors.Is(err, context.Canceled) {
			err = i.interrupted()
		}
		return terminalSafe(err)
	}
	return cmd
}

// prepare reads the settings and refuses flags that contradict each other.
func (i *installer) prepare(cmd *cobra.Command, args []string) (err error) {
	i.cmd, i.answers = cmd, bufio.NewReader(i.program.In)
	i.quiet, _ = cmd.Flags().GetBool("quiet")
	i.plan.Machine, i.plan.Source = clients.UserMachine(), i.program.source(cmd)
	if i.program.IsTerminal() && !i.yes {
		i.plan.PickVault = i.pickVault
	}
	if !i.plan.Remove { // removing an entry needs no settings
		if i.plan.Settings, err = i.program.settings(cmd); err != nil {
			return err
		}
	}
	if err := install.CheckName(i.plan.Name); err != nil {
		return err
	}
	switch {
	case i.plan.ConfigFile != "" && (len(args) != 1 || i.all):
		return &usage{errors.New("--config-file belongs to one client: name that client")}
	case i.all && len(args) > 0:
		return &usage{errors.New("give either --all or the names of clients")}
	}
	return i.plan.Check()
}

// terminalSafe makes control characters in an error visible: file names may contain anything.
func terminalSafe(err error) error {
	if classified, ok := err.(*fault.Error); ok {
		shown := *classified
		shown.Message, shown.Hint = visible.Line(classified.Message), visible.Line(classified.Hint)
		return &shown
	}
	return err
}

// completeClients completes the clients that are not on the command line yet.
func completeClients(_ *cobra.Command, typed []string, _ string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, client := range clients.All() {
		if !slices.Contains(typed, client.ID) {
			ids = append(ids, cobra.CompletionWithDesc(client.ID, client.Name))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func (i *installer) run(args []string) error {
	chosen, err := i.choose(args)
	if err != nil {
		return err
	}
	server, err := i.plan.Server(i.cmd.Context())
	if err != nil {
		return err
	}
	plans, err := i.plans(chosen, server)
	if err != nil {
		return err
	}
	if err := i.carryOut(plans, server); err != nil || i.leftOut == nil {
		return err
	}
	return &exit{exitStatus(fault.KindOf(i.leftOut))}
}

// plans computes all changes before it makes any. For a client without a file it prints what to do by hand.
func (i *installer) plans(chosen []clients.Client, server clients.Server) ([]clients.Plan, error) {
	var plans []clients.Plan
	for _, client := range chosen {
		if block, ok := client.Block(server); ok && !client.HasFile() && !i.plan.Remove {
			fmt.Fprintf(i.program.Out, "%s: %s\n%s", client.Name, block.Where, block.Text)
			continue
		}
		plan, err := i.plan.Plan(client, server)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// carryOut shows the changes, asks, and makes them.
func (i *installer) carryOut(plans []clients.Plan, server clients.Server) error {
	var changes []clients.Plan
	for _, plan := range plans {
		if !plan.Changes() {
			i.say("%s: %s in %s", plan.Client.Name, i.pick("already set up", "not set up"), visible.Name(plan.File))
			continue
		}
		changes = append(changes, plan)
	}
	i.remark(changes, server)
	if err := i.show(changes, server); err != nil {
		return err
	}
	switch {
	case len(changes) == 0:
		return nil
	case i.plan.DryRun:
		if !i.quiet {
			i.message("nothing was written (--dry-run)")
		}
		return nil
	}
	if err := i.confirm(); err != nil {
		return err
	}
	if err := i.cmd.Context().Err(); err != nil {
		return err
	}
	return i.writeAll(changes)
}

// remark prints what a person should know about the changes that are about to be shown.
func (i *installer) remark(changes []clients.Plan, server clients.Server) {
	for _, loss := range i.plan.Losses(changes, server) {
		if loss.Setting || !i.quiet {
			i.message(loss.Text)
		}
	}
	if i.quiet {
		return
	}
	for _, plan := range changes {
		for _, remark := range plan.Remarks() {
			i.message(visible.Name(plan.File) + " is replaced: " + remark)
		}
	}
	for _, note := range i.plan.Notes(changes, server) {
		i.message(note)
	}
}

// show shows the changes, unless the person has agreed to them already and asked for quiet.
func (i *installer) show(changes []clients.Plan, server clients.Server) error {
	if i.quiet && i.yes && !i.plan.DryRun {
		return nil
	}
	for _, plan := range changes {
		fmt.Fprintln(i.program.Out, i.program.paint(bold, plan.Client.Name))
		if err := i.program.printDiff(plan.Diff(server.Token)); err != nil {
			return err
		}
	}
	return nil
}

// writeAll makes the changes. If one fails, the others are still made.
func (i *installer) writeAll(changes []clients.Plan) error {
	for _, plan := range changes {
		err := i.write(plan)
		switch {
		case err != nil && len(changes) == 1:
			return err
		case err != nil:
			i.reportLeftOut(plan.Client, err)
			i.leftOut = cmp.Or(i.leftOut, err)
		}
	}
	return nil
}

// write makes one change, and says what to do next.
func (i *installer) write(plan clients.Plan) error {
	backup, err := plan.Write(time.Now())
	if err != nil {
		return err
	}
	i.say("%s: %s %s", i.program.paint(bold, plan.Client.Name), i.pick("written to", "removed from"),
		visible.Name(plan.File))
	if backup != "" {
		i.say("  backup: %s", visible.Name(backup))
	}
	i.say("  next: %s", i.pick(plan.Client.Next, "restart "+plan.Client.Name))
	return nil
}

// say prints what was done, or why there was nothing to do.
func (i *installer) say(format string, args ...any) {
	if !i.quiet {
		fmt.Fprintf(i.program.Out, format+"\n", args...)
	}
}

// message prints something about the run, apart from its result.
func (i *installer) message(text string) { fmt.Fprintln(i.program.Err, "obsidian-mcp: "+text) }

// pick chooses between the words of install and of uninstall.
func (i *installer) pick(install, uninstall string) string {
	if i.plan.Remove {
		return uninstall
	}
	return install
}

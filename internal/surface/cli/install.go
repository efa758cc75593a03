package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/text/visible"
)

// installer is one run of install or uninstall.
type installer struct {
	Program
	removes    bool
	name       string
	url        string
	configFile string
	all        bool
	yes        bool
	dryRun     bool
	force      bool
	quiet      bool

	cmd      *cobra.Command
	settings config.Config
	machine  clients.Machine
	answers  *bufio.Reader
	proposal string   // why this vault, where nobody named one on the command line
	dropped  []string // what of earlier entries cannot stay, and why
	leftOut  error    // why not all clients that were asked for are dealt with
}

func (p Program) install() *cobra.Command {
	i := &installer{Program: p}
	cmd := i.command("install [CLIENT...]", "put this server into the configuration of AI clients, shown as a diff first")
	cmd.Long = "Finds the AI clients on this machine and puts this server into their configuration. The change is shown as a diff,\n" +
		"a backup is kept beside each file, and everything else in it stays as it is. Clients: " + strings.Join(clientIDs(), ", ") + ".\n" +
		"The vault is the one that the settings name, or the one that Obsidian knows; other settings that are given are written along."
	cmd.Flags().StringVar(&i.url, "url", "", "the address of a server started by http, such as http://127.0.0.1:1065/mcp, instead of starting a program; --token goes with it")
	return cmd
}

func (p Program) uninstall() *cobra.Command {
	i := &installer{Program: p, removes: true}
	cmd := i.command("uninstall [CLIENT...]", "take this server out of the configuration of AI clients")
	cmd.Flags().StringVar(&i.url, "url", "", "the address by which an entry is known to be this server's")
	return cmd
}

// command makes the command with the flags that both have.
func (i *installer) command(use, short string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, ValidArgsFunction: completeClients}
	cmd.Flags().StringVar(&i.name, "name", "obsidian", "the entry's name")
	cmd.Flags().StringVar(&i.configFile, "config-file", "", "the client's configuration file, where it is not in its usual place")
	cmd.Flags().BoolVar(&i.all, "all", false, "all clients on this machine")
	cmd.Flags().BoolVarP(&i.yes, "yes", "y", false, "write without asking")
	cmd.Flags().BoolVar(&i.dryRun, "dry-run", false, "show the change, and write nothing")
	cmd.Flags().BoolVar(&i.force, "force", false, "even if another program's entry has the name")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		i.cmd, i.machine, i.answers = cmd, clients.UserMachine(), bufio.NewReader(i.In)
		i.quiet, _ = cmd.Flags().GetBool("quiet")
		if !i.removes { // what is taken out has no settings
			i.settings, err = i.Program.settings(cmd)
		}
		if err != nil {
			return err
		}
		if err := i.check(args); err != nil {
			return err
		}
		return harmless(i.run(args))
	}
	return cmd
}

// harmless is an error without what a terminal would obey: the names of files
// may hold anything.
func harmless(err error) error {
	if known, ok := err.(*fault.Error); ok {
		shown := *known
		shown.Message, shown.Hint = visible.Line(known.Message), visible.Line(known.Hint)
		return &shown
	}
	return err
}

// completeClients completes the clients that are not given yet.
func completeClients(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, client := range clients.All() {
		if !slices.Contains(given, client.ID) {
			ids = append(ids, cobra.CompletionWithDesc(client.ID, client.Name))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func clientIDs() []string {
	var all []string
	for _, client := range clients.All() {
		all = append(all, client.ID)
	}
	return all
}

// entryName is what every client accepts as a server's name.
var entryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// check refuses flags that do not go together.
func (i *installer) check(args []string) error {
	switch {
	case !entryName.MatchString(i.name):
		return fault.InvalidArgument.Errorf("--name: '%s' is not valid", i.name).WithHint("use letters, digits, - and _")
	case i.configFile != "" && (len(args) != 1 || i.all):
		return &usage{errors.New("--config-file is one client's: name that client")}
	case i.all && len(args) > 0:
		return &usage{errors.New("either --all, or the names of clients")}
	case i.url != "":
		return i.checkURL()
	}
	return nil
}

func (i *installer) run(args []string) error {
	chosen, err := i.choose(args)
	if err != nil {
		return err
	}
	server, err := i.server()
	if err != nil {
		return err
	}
	plans, err := i.plan(chosen, server)
	if err != nil {
		return err
	}
	if err := i.carryOut(plans, server); err != nil || i.leftOut == nil {
		return err
	}
	return &exit{exitStatus(fault.KindOf(i.leftOut))}
}

// plan computes all changes before any is made.
func (i *installer) plan(chosen []clients.Client, server clients.Server) ([]clients.Plan, error) {
	var plans []clients.Plan
	for _, client := range chosen {
		if advice, ok := client.Block(server); ok && !client.HasFile() && !i.removes {
			fmt.Fprintf(i.Out, "%s: %s\n%s", client.Name, advice.Where, advice.Text)
			continue
		}
		plan, err := i.planOne(client, server)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

func (i *installer) planOne(client clients.Client, server clients.Server) (clients.Plan, error) {
	if i.removes {
		return i.unlessClosed(client.Uninstall(i.file(client), server, clients.Options{Force: i.force}))
	}
	server = i.withOwnPlaces(client, server)
	return i.unlessClosed(client.Install(i.file(client), server, clients.Options{Force: i.force, Stale: isStale(server), Keep: i.keeps(server)}))
}

// unlessClosed refuses a change that cannot be written before anybody is asked;
// it may be looked at.
func (i *installer) unlessClosed(plan clients.Plan, err error) (clients.Plan, error) {
	if err == nil && plan.Changes() && !i.dryRun {
		err = plan.Closed()
	}
	return plan, err
}

// file is the configuration that is edited.
func (i *installer) file(client clients.Client) string {
	if i.configFile != "" {
		return i.configFile
	}
	return client.File(i.machine)
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
	case i.dryRun:
		if !i.quiet {
			fmt.Fprintln(i.Err, "obsidian-mcp: nothing was written (--dry-run)")
		}
		return nil
	}
	if err := i.confirm(); err != nil {
		return err
	}
	if i.cmd.Context().Err() != nil {
		return i.interrupted()
	}
	return i.writeAll(changes)
}

// writeAll makes changes. One that fails does not keep the others from being
// made.
func (i *installer) writeAll(changes []clients.Plan) error {
	for _, plan := range changes {
		err := i.write(plan)
		switch {
		case err != nil && len(changes) == 1:
			return err
		case err != nil:
			i.tellLeftOut(plan.Client, err)
			i.leftOut = cmp.Or(i.leftOut, err)
		}
	}
	return nil
}

// show shows changes, unless somebody has agreed to them and asked for silence.
func (i *installer) show(changes []clients.Plan, server clients.Server) error {
	if i.quiet && i.yes && !i.dryRun {
		return nil
	}
	for _, plan := range changes {
		fmt.Fprintln(i.Out, i.paint(bold, plan.Client.Name))
		if err := i.printDiff(plan.Diff(server.Token)); err != nil {
			return err
		}
	}
	return nil
}

// say tells what was done, or why there was nothing to do.
func (i *installer) say(format string, args ...any) {
	if !i.quiet {
		fmt.Fprintf(i.Out, format+"\n", args...)
	}
}

// pick is the word for what is done.
func (i *installer) pick(install, uninstall string) string {
	if i.removes {
		return uninstall
	}
	return install
}

// write makes one change, and says what comes next.
func (i *installer) write(plan clients.Plan) error {
	backup, err := plan.Write(time.Now())
	if err != nil {
		return err
	}
	i.say("%s: %s %s", i.paint(bold, plan.Client.Name), i.pick("written to", "taken out of"), visible.Name(plan.File))
	if backup != "" {
		i.say("  backup: %s", visible.Name(backup))
	}
	i.say("  next: %s", i.pick(plan.Client.Next, "start "+plan.Client.Name+" anew"))
	return nil
}

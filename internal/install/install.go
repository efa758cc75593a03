// Package install plans how this server gets into the configurations of AI clients and out of them again: which
// clients, which vault, what their entries say, what stays of an earlier entry and what is lost with it.
//
// It decides, but asks nobody, prints nothing and writes nothing: the command line asks the person, shows the plans
// and has them written. Package clients is the table of clients, package entry edits their files.
package install

import (
	"regexp"
	"slices"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
)

// DefaultName is the name of the entry unless a person chooses another.
const DefaultName = "obsidian"

// validName matches the names that every client accepts for a server.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// CheckName refuses a name that some client would not accept for an entry.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fault.InvalidArgument.Errorf("--name: '%s' is not valid", name).WithHint("use letters, digits, - and _")
	}
	return nil
}

// Installation is one run of install or uninstall.
type Installation struct {
	Remove     bool   // remove the entries instead of adding them
	Name       string // of the entry
	URL        string // if set, clients call the server there instead of starting this program
	ConfigFile string // the client's configuration, if it is not in its usual place
	DryRun     bool   // the plans are only shown
	Force      bool   // replace or remove another program's entry of the same name

	Settings config.Config // in force; empty for Remove, which needs none
	Source   config.Source // where the settings come from
	Machine  clients.Machine

	// PickVault asks a person which of several vaults to use; usual is the index of the likely one, or -1.
	// Nil means that nobody can be asked.
	PickVault func(vaults []Vault, usual int) (folder string, err error)

	vaultReason string // why this vault was chosen, if the command line does not name it
	losses      []Loss
}

// Check refuses a name or an address that cannot work, and completes the address.
func (i *Installation) Check() error {
	if err := CheckName(i.Name); err != nil || i.URL == "" {
		return err
	}
	return i.checkURL()
}

// File returns the configuration file to edit for a client.
func (i *Installation) File(client clients.Client) string {
	if i.ConfigFile != "" {
		return i.ConfigFile
	}
	return client.File(i.Machine)
}

// Plan computes the change to one client's configuration. A change that could not be written is refused here,
// before anybody is asked to agree to it, unless it is only to be shown.
func (i *Installation) Plan(client clients.Client, server clients.Server) (clients.Plan, error) {
	if i.Remove {
		return i.writable(client.Uninstall(i.File(client), server, clients.Options{Force: i.Force}))
	}
	server = i.withOwnFolders(client, server)
	options := clients.Options{Force: i.Force, Stale: isStale(server), Keep: i.keeps(server)}
	return i.writable(client.Install(i.File(client), server, options))
}

func (i *Installation) writable(plan clients.Plan, err error) (clients.Plan, error) {
	if err == nil && plan.Changes() && !i.DryRun {
		err = plan.CheckWritable()
	}
	return plan, err
}

// Notes says what a person should know about the changes before agreeing to them.
func (i *Installation) Notes(changes []clients.Plan, server clients.Server) []string {
	if i.Remove || len(changes) == 0 {
		return nil
	}
	var notes []string
	if i.vaultReason != "" {
		notes = append(notes, i.vaultReason)
	}
	if server.URL == "" && isTemporary(server.Command) {
		notes = append(notes, temporaryNote(server.Command))
	}
	for _, plan := range changes {
		if i.ConfigFile == "" && !plan.Client.Present(i.Machine) {
			notes = append(notes, plan.Client.Name+" was not found on this machine; its configuration is prepared anyway")
		}
	}
	return notes
}

// addLoss records something that an earlier entry loses, once.
func (i *Installation) addLoss(loss Loss) {
	if !slices.Contains(i.losses, loss) {
		i.losses = append(i.losses, loss)
	}
}

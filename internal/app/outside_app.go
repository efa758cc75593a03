package app

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/outside/obsidian"
)

// useObsidian lets tools use the Obsidian app, if the settings say so.
func (a *app) useObsidian(settings config.Config) {
	configured := settings.Outside.App
	if configured == nil {
		return
	}
	a.obsidian = obsidian.New(obsidian.Options{
		Program:     configured.Program,
		Vault:       obsidian.Vault{Folder: a.store.folder, Name: a.store.nameInObsidian(), Known: knownVaults},
		Environment: outsideEnvironment(nil),
	})
	a.options.App, a.options.AppCommands = a.obsidian, configured.Commands
}

// nameInObsidian is what Obsidian calls the vault, unless its own list says otherwise.
func (s openedStore) nameInObsidian() string {
	if s.folder == "" {
		return s.id
	}
	return filepath.Base(s.folder)
}

// knownVaults is Obsidian's list of vaults. It is read for every call, because a user may open the vault in Obsidian while the server runs.
func knownVaults() []obsidian.Known {
	var known []obsidian.Known
	for _, vault := range config.UserRegistry().Vaults() {
		known = append(known, obsidian.Known{ID: vault.ID, Name: vault.Name, Folder: vault.Path})
	}
	return known
}

// checkObsidian looks for the command line program, and asks whether the app is running and has the vault.
func (a *app) checkObsidian(ctx context.Context) (found, worry string, err error) {
	program, err := a.obsidian.Program()
	if err != nil {
		return "", "", err
	}
	found = "Obsidian's command line program is " + program
	state, err := a.obsidian.Status(ctx)
	if problem := cmp.Or(err, state.Problem); problem != nil {
		return found, fmt.Sprintf("%s; %s", problem, cmp.Or(fault.HintOf(problem), "restart Obsidian")), nil
	}
	return fmt.Sprintf("%s; Obsidian %s is running and has the vault '%s'", found, state.Version, state.Vault), "", nil
}

package cli

import (
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/text/visible"
)

// drop notes what of an earlier entry cannot stay, and why.
func (i *installer) drop(what string) {
	if !slices.Contains(i.dropped, what) {
		i.dropped = append(i.dropped, what)
	}
}

// tellLost tells what of earlier entries cannot stay. Settings may be limits, so
// that not even silence keeps them from being told.
func (i *installer) tellLost(changes []clients.Plan, server clients.Server) {
	for _, plan := range changes {
		settings := i.lostSettings(plan)
		switch wasStarted := plan.Earlier.Command != ""; {
		case server.URL != "" && wasStarted && len(settings) > 0:
			i.drop(fmt.Sprintf("%s: the settings of the earlier entry go with it (%s); the server at the address has its own", plan.Client.Name, strings.Join(settings, ", ")))
		case !wasStarted && len(plan.Lost) > 0 && !i.quiet:
			i.drop(fmt.Sprintf("%s: left out is what was for another address (%s)", plan.Client.Name, visible.Name(strings.Join(plan.Lost, ", "))))
		}
	}
	for _, what := range i.dropped {
		fmt.Fprintln(i.Err, "obsidian-mcp: "+what)
	}
}

// lostSettings names what an earlier entry says to the program that it starts,
// beside the vault. The values are not shown.
func (i *installer) lostSettings(plan clients.Plan) (names []string) {
	for _, one := range i.arguments(plan.Earlier.Args) {
		if one.option != "" && !contradicts(one.option, clients.Server{}) {
			names = append(names, "--"+one.option)
		}
	}
	for _, variable := range plan.Earlier.Env {
		if !namesAVault(variable.Name) {
			names = append(names, visible.Name(variable.Name))
		}
	}
	for _, field := range plan.Lost {
		names = append(names, visible.Name(field))
	}
	return names
}

package install

import (
	"fmt"
	"strings"

	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/text/visible"
)

// Loss is something in an earlier entry that cannot stay.
type Loss struct {
	Text    string
	Setting bool // it may be a limit, so it is reported even with --quiet
}

// Losses lists what the earlier entries lose by the planned changes.
func (i *Installation) Losses(changes []clients.Plan, server clients.Server) []Loss {
	if i.Remove || len(changes) == 0 {
		return nil
	}
	for _, plan := range changes {
		settings := lostSettings(plan)
		switch wasStarted := plan.Earlier.Command != ""; {
		case server.URL != "" && wasStarted && len(settings) > 0:
			i.addLoss(Loss{Setting: true, Text: fmt.Sprintf(
				"%s: the settings of the earlier entry are lost (%s); the server at the address has its own",
				plan.Client.Name, strings.Join(settings, ", "))})
		case !wasStarted && len(plan.Lost) > 0:
			i.addLoss(Loss{Text: fmt.Sprintf("%s: fields that belonged to another address are left out (%s)",
				plan.Client.Name, visible.Name(strings.Join(plan.Lost, ", ")))})
		}
	}
	return i.losses
}

// lostSettings names the settings that an earlier entry gives to the program it starts, except for the vault. Values
// are not shown.
func lostSettings(plan clients.Plan) (names []string) {
	for _, arg := range arguments(plan.Earlier.Args) {
		if arg.option != "" && !contradicts(arg.option, clients.Server{}) {
			names = append(names, "--"+arg.option)
		}
	}
	for _, variable := range plan.Earlier.Env {
		if !NamesVault(variable.Name) {
			names = append(names, visible.Name(variable.Name))
		}
	}
	for _, field := range plan.Lost {
		names = append(names, visible.Name(field))
	}
	return names
}

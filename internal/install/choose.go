package install

import (
	"context"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/text/visible"
)

// Named returns the clients with the given ids, each once.
func Named(ids []string) ([]clients.Client, error) {
	var named []clients.Client
	for n, id := range ids {
		client, err := clients.Find(id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids[:n], id) {
			named = append(named, client)
		}
	}
	return named, nil
}

// Candidates returns the clients on this machine that can take the server or, for Remove, that have it.
func (i *Installation) Candidates() []clients.Client {
	return slices.DeleteFunc(clients.All(), func(client clients.Client) bool {
		switch {
		case !client.Present(i.Machine):
			return true
		case i.Remove:
			return !i.mayHave(client)
		}
		return !client.Takes(clients.Server{URL: i.URL})
	})
}

// mayHave reports whether a client may have an entry to remove. A configuration that cannot be read may have one.
func (i *Installation) mayHave(client clients.Client) bool {
	plan, err := i.lookUp(client)
	if plan.State == clients.Foreign {
		return i.Force
	}
	return err != nil || plan.State != clients.Absent
}

// lookUp finds out what a client has under the entry's name, and whether it can be changed.
func (i *Installation) lookUp(client clients.Client) (clients.Plan, error) {
	server := thisProgram(i.Name)
	server.URL = i.URL
	if i.Remove {
		return i.writable(client.Uninstall(i.File(client), server, clients.Options{}))
	}
	return i.writable(client.Install(i.File(client), server, clients.Options{}))
}

// LeftOut is a client that cannot be set up while others can.
type LeftOut struct {
	Client clients.Client
	Err    error
}

// Editable splits clients into those whose configuration can be changed and the rest, so that a broken file does not
// keep the others from being set up. If none can be changed, all are returned: planning the change will fail and
// say why.
func (i *Installation) Editable(found []clients.Client) (chosen []clients.Client, leftOut []LeftOut) {
	for _, client := range found {
		plan, err := i.lookUp(client)
		if err == nil || i.Force && plan.State == clients.Foreign {
			chosen = append(chosen, client)
		} else {
			leftOut = append(leftOut, LeftOut{client, err})
		}
	}
	if len(chosen) == 0 {
		return found, nil
	}
	return chosen, leftOut
}

// State describes what a client's configuration says about this server. Which vault it should be may not be known
// yet; nobody is asked here.
func (i *Installation) State(ctx context.Context, client clients.Client) string {
	plan, err := i.lookUp(client)
	switch {
	case err != nil && plan.State == clients.Foreign:
		return clients.Foreign.String()
	case err != nil:
		return cannotEdit(err)
	case plan.State == clients.Absent:
		return clients.Absent.String()
	case i.Remove:
		return clients.Same.String()
	}
	silent := *i
	silent.PickVault, silent.losses = nil, nil
	server, err := silent.Server(ctx)
	if err != nil {
		return clients.Same.String()
	}
	if plan, err = silent.Plan(client, server); err != nil {
		return cannotEdit(err)
	}
	return plan.State.String()
}

func cannotEdit(err error) string { return "cannot be edited: " + visible.Name(err.Error()) }

// NoCandidates explains why Candidates found no client.
func (i *Installation) NoCandidates() error {
	if i.Machine.Home == "" {
		return fault.InvalidArgument.Errorf("no client can be found because the home folder is unknown").
			WithHint("set %s", i.Machine.HomeVariable())
	}
	return fault.NotFound.Errorf("no AI client was found on this machine").
		WithHint("name one to set it up anyway: obsidian-mcp install CLIENT, of %s", clients.List())
}

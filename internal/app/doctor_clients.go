package app

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/surface/cli"
)

// remark is what there is to tell of a client's entry, but for whose it is.
type remark struct {
	mark string
	does string // what the client does; "": nothing, and the rest is about its entry
	what string
	todo string // "": nothing is to be done
}

const (
	starts = "start"
	calls  = "call"
)

// clients tells which AI clients have an entry for this server, and what it
// leads to. Clients of which there is the same to tell are told together.
func (e *examination) clients(asked cli.Examination) {
	var all []remark
	whose := map[remark][]string{}
	for _, one := range asked.Clients {
		for _, said := range remarksOn(one, asked.Borrowed) {
			if whose[said] == nil {
				all = append(all, said)
			}
			whose[said] = append(whose[said], one.Client)
		}
	}
	for _, said := range all {
		e.remark(said, whose[said])
	}
}

func (e *examination) remark(said remark, clients []string) {
	subject := strings.Join(clients, ", ") + ":"
	if said.does != "" {
		subject = strings.Join(clients, ", ") + " " + said.does
	}
	if said.does != "" && len(clients) == 1 {
		subject += "s"
	}
	switch said.mark {
	case cli.MarkOK:
		e.ok("clients: %s %s", subject, said.what)
	case cli.MarkLook:
		e.look(said.todo, "clients: %s %s", subject, said.what)
	default:
		e.fail(said.todo, "clients: %s %s", subject, said.what)
	}
}

func remarksOn(one cli.ClientVault, borrowed bool) []remark {
	var all []remark
	for _, doubt := range one.Doubts {
		all = append(all, remark{cli.MarkLook, "", doubt.Error(), fault.HintOf(doubt)})
	}
	all = append(all, verdictOn(one, borrowed))
	for _, name := range one.Unknown {
		all = append(all, remark{cli.MarkLook, starts, fmt.Sprintf("this program with %s, which is no setting", name), "correct its name in the entry, or take it out"})
	}
	return all
}

// verdictOn says whether an entry leads anywhere.
func verdictOn(one cli.ClientVault, borrowed bool) remark {
	switch {
	case one.Broken != nil:
		return remark{cli.MarkLook, "", fmt.Sprintf("the configuration cannot be read: %s", one.Broken), "mend the file"}
	case one.Off:
		return remark{cli.MarkOK, "", "the entry of this program is switched off", ""}
	case one.Err != nil:
		return refused(one.Err)
	case one.URL != "" && nobodyAt(one.URL, net.DialTimeout):
		return remark{cli.MarkLook, calls, one.URL + ", where nothing answers now", "start a server there with obsidian-mcp http"}
	case one.URL != "":
		return remark{cli.MarkOK, calls, one.URL, ""}
	case one.Relative != "":
		return remark{cli.MarkLook, starts, fmt.Sprintf("this program with the relative path '%s', which leads nowhere, or elsewhere, from the folder that it is started in", one.Relative), "write the whole path into the entry"}
	case one.Vault == "":
		return remark{cli.MarkLook, starts, "this program without a vault", one.Anew}
	}
	err := refusal(one)
	switch {
	case errors.Is(err, fault.StoreUnavailable):
		return remark{cli.MarkLook, starts, fmt.Sprintf("this program, which waits for its vault: %s", err), fault.HintOf(err)}
	case err != nil:
		return refused(err)
	case borrowed:
		return remark{cli.MarkOK, starts, fmt.Sprintf("this program with %s, which is looked at, since no vault is set here", one.Vault), ""}
	}
	return remark{cli.MarkOK, starts, "this program with " + one.Vault, ""}
}

func refused(err error) remark {
	return remark{cli.MarkFailed, starts, fmt.Sprintf("this program, which refuses: %s", err), cmp.Or(fault.HintOf(err), "correct the entry")}
}

// whichVault fails where clients are set up, but none of their vaults is to be
// looked at. Where they name none at all, it leaves it to others to tell.
func (e *examination) whichVault(settings config.Config, asked cli.Examination) bool {
	var vaults, addresses int
	for _, one := range asked.Clients {
		switch {
		case one.Vault != "":
			vaults++
		case one.URL != "":
			addresses++
		}
	}
	switch {
	case settings.NamesVault() || len(asked.Clients) == 0:
		return true
	case vaults > 0:
		e.fail("name the one to look at with --vault-path", "vault: OBSIDIAN_VAULT_PATH not set, and the clients' entries do not name one and the same vault")
	case addresses == len(asked.Clients):
		e.fail("run doctor where that server runs, or name a vault with --vault-path", "vault: OBSIDIAN_VAULT_PATH not set, and the clients call a server that has its own settings")
	default:
		return true
	}
	return false
}

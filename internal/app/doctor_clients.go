package app

import (
	"cmp"
	"strings"

	"obsidian-mcp/internal/cli"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// clients tells which AI clients have an entry for this server, and what it
// leads to.
func (e *examination) clients(asked cli.Examination) {
	for _, one := range asked.Clients {
		names, s := strings.Join(one.Clients, ", "), "s"
		if len(one.Clients) > 1 {
			s = ""
		}
		if one.Doubt != nil {
			e.look(fault.HintOf(one.Doubt), "clients: %s: %s", names, one.Doubt)
		}
		switch {
		case one.Broken != nil:
			e.look("mend the file", "clients: %s: the configuration cannot be read: %s", names, one.Broken)
		case one.Off:
			e.ok("clients: %s: the entry of this program is switched off", names)
		case one.Err != nil:
			e.fail(cmp.Or(fault.HintOf(one.Err), "correct the entry"), "clients: %s start%s this program, which refuses: %s", names, s, one.Err)
		case one.URL != "":
			e.ok("clients: %s call%s %s", names, s, one.URL)
		case one.Relative != "":
			e.look("write the whole path into the entry", "clients: %s start%s this program with the relative path '%s', which leads nowhere, or elsewhere, from the folder that it is started in", names, s, one.Relative)
		case one.Vault == "":
			e.look("obsidian-mcp install writes the entry anew", "clients: %s start%s this program without a vault", names, s)
		case asked.Borrowed:
			e.ok("clients: %s start%s this program with %s, which is looked at, since no vault is set here", names, s, one.Vault)
		default:
			e.ok("clients: %s start%s this program with %s", names, s, one.Vault)
		}
		for _, name := range one.Unknown {
			e.look("correct its name in the entry, or take it out", "clients: %s start%s this program with %s, which is no setting", names, s, name)
		}
	}
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

package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/access/door"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// remark is a finding about a client's entry, without the client's name.
type remark struct {
	mark   Mark
	does   string // what the client does; "" if the text is about its entry
	text   string
	remedy string
}

const (
	starts = "start"
	calls  = "call"
)

// clients reports which AI clients have an entry for this server, and what it leads to. Clients with the same remark
// share a line.
func (r *Report) clients(entries []Entry, borrowed bool, start func(config.Config) error) {
	var remarks []remark
	owners := map[remark][]string{}
	for _, entry := range entries {
		for _, about := range remarksOn(entry, borrowed, start) {
			if owners[about] == nil {
				remarks = append(remarks, about)
			}
			owners[about] = append(owners[about], entry.Client)
		}
	}
	for _, about := range remarks {
		r.remark(about, owners[about])
	}
}

func (r *Report) remark(about remark, clients []string) {
	subject := strings.Join(clients, ", ") + ":"
	if about.does != "" {
		subject = strings.Join(clients, ", ") + " " + about.does
	}
	if about.does != "" && len(clients) == 1 {
		subject += "s"
	}
	r.failed = r.failed || about.mark == Failed
	r.add(about.mark, about.remedy, "clients: %s %s", subject, about.text)
}

func remarksOn(entry Entry, borrowed bool, start func(config.Config) error) []remark {
	var remarks []remark
	for _, doubt := range entry.Doubts {
		remarks = append(remarks, remark{Look, "", doubt.Error(), fault.HintOf(doubt)})
	}
	remarks = append(remarks, verdictOn(entry, borrowed, start))
	for _, name := range entry.Unknown {
		remarks = append(remarks, remark{Look, starts, fmt.Sprintf("this program with %s, which is not a setting", name),
			"correct its name in the entry, or remove it"})
	}
	return remarks
}

// verdictOn says whether an entry leads anywhere.
func verdictOn(entry Entry, borrowed bool, start func(config.Config) error) remark {
	switch {
	case entry.Broken != nil:
		return remark{Look, "", fmt.Sprintf("the configuration cannot be read: %s", entry.Broken), "fix the file"}
	case entry.Off:
		return remark{OK, "", "the entry of this program is switched off", ""}
	case entry.Err != nil:
		return refused(entry.Err)
	case entry.URL != "" && nobodyAt(entry.URL, net.DialTimeout):
		return remark{Look, calls, entry.URL + ", where nothing answers now", "start a server there with obsidian-mcp http"}
	case entry.URL != "":
		return remark{OK, calls, entry.URL, ""}
	case entry.Relative != "":
		return remark{Look, starts, fmt.Sprintf("this program with the relative path '%s', "+
			"which means something else in the folder that the client starts it in", entry.Relative),
			"write the full path into the entry"}
	case entry.Vault == "":
		return remark{Look, starts, "this program without a vault", entry.Remedy}
	case isFilledIn(entry.Vault):
		return willStart(entry, borrowed) // the client fills in the vault
	}
	err := start(entry.Settings)
	switch {
	case errors.Is(err, fault.StoreUnavailable):
		return remark{Look, starts, fmt.Sprintf("this program, which waits for its vault: %s", err), fault.HintOf(err)}
	case err != nil:
		return refused(err)
	}
	return willStart(entry, borrowed)
}

func willStart(entry Entry, borrowed bool) remark {
	text := "this program with " + entry.Vault
	if borrowed {
		text += ", which is checked because no vault is set here"
	}
	return remark{OK, starts, text, ""}
}

func refused(err error) remark {
	return remark{Failed, starts, fmt.Sprintf("this program, which refuses to start: %s", err),
		cmp.Or(fault.HintOf(err), "correct the entry")}
}

// whichVault fails if clients are set up, but it is not clear which of their vaults to check. If they name no vault at
// all, later checks say so.
func (r *Report) whichVault(settings config.Config, entries []Entry) bool {
	var vaults, addresses int
	for _, entry := range entries {
		switch {
		case entry.Vault != "":
			vaults++
		case entry.URL != "":
			addresses++
		}
	}
	switch {
	case settings.NamesVault() || len(entries) == 0:
		return true
	case vaults > 0:
		r.fail("name the vault to check with --vault-path",
			"vault: OBSIDIAN_VAULT_PATH not set, and the clients' entries name different vaults")
	case addresses == len(entries):
		r.fail("run doctor where that server runs, or name a vault with --vault-path",
			"vault: OBSIDIAN_VAULT_PATH not set, and the clients call a server that has its own settings")
	default:
		return true
	}
	return false
}

// answerTime is how long a server on this machine may take to accept a connection.
const answerTime = 500 * time.Millisecond

// nobodyAt reports whether nothing listens at an address of this machine. Other machines are not asked.
func nobodyAt(address string, dial func(network, address string, patience time.Duration) (net.Conn, error)) bool {
	parsed, err := url.Parse(address)
	if err != nil || !door.IsLoopback(parsed.Hostname()) {
		return false
	}
	hosts := []string{parsed.Hostname()}
	if net.ParseIP(hosts[0]) == nil {
		hosts = []string{"127.0.0.1", "::1"} // whichever address the name stands for
	}
	port := cmp.Or(parsed.Port(), map[string]string{"http": "80", "https": "443"}[parsed.Scheme])
	return !slices.ContainsFunc(hosts, func(host string) bool {
		connection, err := dial("tcp", net.JoinHostPort(host, port), answerTime)
		if err != nil {
			return false
		}
		_ = connection.Close()
		return true
	})
}

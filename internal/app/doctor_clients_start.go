package app

import (
	"cmp"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/door"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/surface/cli"
)

// refusal is why a server does not start with an entry's settings, as it would
// say itself; nil: it does, or the database would have to be asked.
func refusal(one cli.ClientVault) error {
	settings := one.Settings
	if err := check(settings, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if _, err := offered(Tools(), settings, auth.Grant{}); err != nil {
		return err
	}
	if settings.LiveSync.Configured() || one.IsFilledIn() {
		return nil
	}
	dir, err := vaultFolder(settings)
	if err != nil {
		return err
	}
	if err := outside(realFolder(dir), settings); err != nil {
		return err
	}
	return blameFolder(settings, dir, cannotOpen(dir))
}

// cannotOpen is why a folder cannot be opened as a vault. It is not opened: that
// would mend what an interrupted write has left.
func cannotOpen(dir string) error {
	_, err := inTime(func() (struct{}, error) {
		self, _, err := lookInto(dir)
		if err == nil && !self.IsDir() {
			err = fault.VaultNotFound.Errorf("%s is not a folder", dir)
		}
		if err != nil {
			err = explainFolder(err)
		}
		return struct{}{}, err
	})
	if err != nil && fault.KindOf(err) == fault.Internal {
		return errSilent // nothing was found out in time
	}
	return err
}

// answerTime is how long a server on this machine may take to be there.
const answerTime = 500 * time.Millisecond

// nobodyAt reports whether nothing listens at an address of this machine. Others
// are not asked.
func nobodyAt(address string, dial func(network, address string, patience time.Duration) (net.Conn, error)) bool {
	parsed, err := url.Parse(address)
	if err != nil || !door.IsLoopback(parsed.Hostname()) {
		return false
	}
	hosts := []string{parsed.Hostname()}
	if net.ParseIP(hosts[0]) == nil {
		hosts = []string{"127.0.0.1", "::1"} // whatever the name leads to
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

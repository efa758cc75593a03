package doctor

import (
	"fmt"
	"strings"

	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/format/setuplink"
	"obsidian-mcp/internal/text/amount"
)

// fromDevice is what to do about a link that does not lead to the vault.
const fromDevice = "check on the device that made the link that it still syncs, and copy a new link there"

// link reports what a link says about where the vault is.
func (r *Report) link(link setuplink.Link) {
	as := ", without a login"
	if link.Remote.User != "" {
		as = fmt.Sprintf(", as user '%s'", link.Remote.User)
	}
	if link.Remote.Name != "" {
		as += fmt.Sprintf(" (the remote '%s')", link.Remote.Name)
	}
	r.ok("link: it names the database '%s' at %s%s", link.Remote.Database, link.Remote.URL, as)
	if len(link.Others) > 0 {
		r.look("--remote chooses another", "link: it has %s that are not used: %s",
			amount.Of(len(link.Others), "other remote"), amount.Few(link.Others, 5))
	}
	if link.Remote.Headers {
		r.look("if the next checks fail, let the proxy accept requests without them",
			"link: the device sends headers of its own to the server, which this program does not")
	}
}

// versions reports the versions of the database and of its devices.
func (r *Report) versions(about livesync.About) {
	if about.Remote.Version != 0 {
		r.ok("versions: the database has version %d", about.Remote.Version)
	}
	devices := about.Remote.Devices()
	if len(devices) == 0 {
		return
	}
	names := make([]string, len(devices))
	for i, device := range devices {
		names[i] = fmt.Sprintf("%s (plugin %s)", device.Name, device.Plugin)
	}
	r.ok("devices: %s", amount.Few(names, 5))
}

// agreement reports where a link contradicts the database: the device that made it cannot sync, or only until somebody
// chooses one of the two.
func (r *Report) agreement(link setuplink.Link, about livesync.About) {
	if about.Fresh {
		r.look("sync the device that made the link first, so that its settings apply",
			"link: the database is still empty; whoever writes first determines its settings")
		return
	}
	differences := differences(link, about.Settings)
	if len(differences) == 0 {
		r.ok("link: its settings are those of the database")
		return
	}
	r.look("this server uses the settings of the database; a device with the link would have to be set right by hand",
		"link: its settings differ from those of the database: %s", strings.Join(differences, "; "))
}

// differences compares the settings that decide whether a device can read what another one has written.
func differences(link setuplink.Link, database format.Settings) []string {
	var all []string
	add := func(differ bool, format string, args ...any) {
		if differ {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	words := func(value bool, yes, no string) string {
		if value {
			return yes
		}
		return no
	}
	add(link.Encrypt != database.Encrypt, "the link says %s, the database is %s",
		words(link.Encrypt, "encrypted", "not encrypted"), words(database.Encrypt, "encrypted", "not encrypted"))
	add(link.Obfuscate != database.ObfuscatePaths, "the link says that paths are %s, in the database they are %s",
		words(link.Obfuscate, "obfuscated", "in clear"), words(database.ObfuscatePaths, "obfuscated", "in clear"))
	if stated := link.Tweaks.Algorithm; stated != nil && link.Encrypt && database.Encrypt {
		oldLink, oldDatabase := *stated != format.EncryptV2, database.Algorithm != format.EncryptV2
		add(oldLink != oldDatabase, "the link says encryption %s, the database has %s",
			words(oldLink, "V1", "V2"), words(oldDatabase, "V1", "V2"))
	}
	if stated := link.Tweaks.CaseSensitive; stated != nil {
		add(*stated != database.CaseSensitive, "the link says %s names, the database has %s ones",
			words(*stated, "case-sensitive", "case-insensitive"), words(database.CaseSensitive, "case-sensitive", "case-insensitive"))
	}
	return all
}

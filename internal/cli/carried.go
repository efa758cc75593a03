package cli

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/config"
)

// IsCarried reports whether a setting that is given is one of a server that a
// client starts, and says nothing of the vault's place.
func IsCarried(given config.Given) bool {
	name := given.Setting.Name
	place := strings.HasPrefix(name, "couchdb_") || name == "vault_passphrase"
	return slices.Contains(carried, name) && !place && !strings.HasPrefix(given.From, "LOG_")
}

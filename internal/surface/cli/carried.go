package cli

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/config"
)

// carried are the settings that are written along where they are given: those
// of a server that a client starts, beside its vault.
var carried = []string{
	"vault_id", "toolsets", "read_only", "style", "tag_policy", "context", "call_timeout", "confirm_over", "cache_dir", "state_dir", "log_level", "log_format",
	"history", "history_days", "history_mb", "audit_log",
	"couchdb_base_url", "couchdb_database_name", "couchdb_user", "couchdb_password", "vault_passphrase", "use_path_obfuscation", "livesync_cache",
}

// IsCarried reports whether a setting that is given is one of a server that a
// client starts, and says nothing of the vault's place.
func IsCarried(given config.Given) bool {
	name := given.Setting.Name
	place := strings.HasPrefix(name, "couchdb_") || name == "vault_passphrase"
	return slices.Contains(carried, name) && !place && !strings.HasPrefix(given.From, "LOG_")
}

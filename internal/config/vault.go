package config

import "time"

// vaultSettings lists the rows of the vault and its tools.
func vaultSettings() []Setting {
	return []Setting{
		{
			Name: "vault_path", Variables: []string{"OBSIDIAN_VAULT_PATH", "VAULT_PATH"},
			Kind: KindFolder, Vault: VaultFolder,
			About: "the vault's folder",
			path:  func(c *Config) *string { return &c.VaultPath },
		},
		{
			Name: "vault", Variables: []string{"OBSIDIAN_VAULT"},
			Kind: KindVaultName, Vault: VaultFolder,
			About: "the vault's name in Obsidian's own registry, instead of a path",
			set:   text(func(c *Config) *string { return &c.Vault }),
		},
		{
			Name: "vault_id", Variables: []string{"VAULT_ID"},
			Default: "folder or database name", Vault: VaultDetail, deferred: true,
			About: "the vault's id in resource URIs",
			set:   text(func(c *Config) *string { return &c.VaultID }),
		},
		{
			Name: "toolsets", Variables: []string{"OBSIDIAN_MCP_TOOLSETS"},
			Default: "default", Kind: KindToolsets,
			About: "toolsets that servers offer, comma-separated (`notes`, `find`, `agent`, `graph`, `history`); `all`; `-name` takes one out",
			set:   text(func(c *Config) *string { return &c.Toolsets }),
		},
		{
			Name: "read_only", Variables: []string{"OBSIDIAN_MCP_READ_ONLY"},
			Default: "false", Switch: true, Kind: KindBool,
			About: "no tool that writes is offered or runs",
			set:   truth(func(c *Config) *bool { return &c.ReadOnly }),
		},
		{
			Name: "style", Variables: []string{"OBSIDIAN_MCP_STYLE"},
			Default: "plain", Valid: []string{"plain", "contract"},
			About: "how results and errors are dressed: `plain`, `contract`",
			set:   text(func(c *Config) *string { return &c.Style }),
		},
		{
			Name: "tag_policy", Variables: []string{"OBSIDIAN_MCP_TAG_POLICY"},
			Default: "notes", Valid: []string{"off", "notes", "strict"},
			About: "which writes may bring in new tags: `off` (all), `notes`, `strict`",
			set:   text(func(c *Config) *string { return &c.TagPolicy }),
		},
		{
			Name: "context", Variables: []string{"OBSIDIAN_MCP_CONTEXT"},
			Default: "on", Kind: KindBool,
			About: "`off`: no context block is appended to a session's first result",
			set:   truth(func(c *Config) *bool { return &c.Context }),
		},
		{
			Name: "call_timeout", Variables: []string{"OBSIDIAN_MCP_CALL_TIMEOUT"},
			Default: "30s",
			About:   "time for one tool call",
			set:     duration(func(c *Config) *time.Duration { return &c.CallTimeout }),
		},
		{
			Name: "confirm_over", Variables: []string{"OBSIDIAN_MCP_CONFIRM_OVER"},
			Default: "100",
			About:   "notes that one call may change without `confirm`; 0: no limit",
			set:     number(func(c *Config) *int { return &c.ConfirmOver }),
		},
		{
			Name: "cache_dir", Variables: []string{"OBSIDIAN_MCP_CACHE_DIR"},
			Default: "the user's cache folder", Kind: KindFolder, mayBeOff: true, computed: defaultCacheDir,
			About: "where the index, with the notes' text, is kept for the next start (mode 0600); `off`: nowhere",
			path:  func(c *Config) *string { return &c.CacheDir },
		},
		{
			Name: "state_dir", Variables: []string{"OBSIDIAN_MCP_STATE_DIR"},
			Default: "the user's state folder", Kind: KindFolder, computed: defaultStateDir,
			About: "where journals and the history are kept",
			path:  func(c *Config) *string { return &c.StateDir },
		},
		{
			Name: "log_level", Variables: []string{"LOG_LEVEL"},
			Default: "info", Valid: []string{"debug", "info", "warn", "error"}, Generic: true, computed: defaultLogLevel,
			About: "`debug`, `info`, `warn`, `error`; to stderr, never note content",
			set:   text(func(c *Config) *string { return &c.LogLevel }),
		},
		{
			Name: "log_format", Variables: []string{"LOG_FORMAT"},
			Default: "text", Valid: []string{"text", "json"}, Generic: true,
			About: "`text` or `json`",
			set:   text(func(c *Config) *string { return &c.LogFormat }),
		},
	}
}

func defaultLogLevel(source Source) (string, error) {
	if source.Quiet {
		return "error", nil
	}
	return "", nil
}

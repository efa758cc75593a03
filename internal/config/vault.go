package config

import "time"

// vaultSettings lists the settings of the vault and its tools.
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
			About: "toolsets to offer, comma-separated (`obsidian-mcp tools` shows them); `all`; `small`: few tools, which reach the others; `-name` leaves one out",
			set:   text(func(c *Config) *string { return &c.Toolsets }),
		},
		{
			Name: "read_only", Variables: []string{"OBSIDIAN_MCP_READ_ONLY"},
			Default: "false", Switch: true, Kind: KindBool,
			About: "offer and run only tools that do not write",
			set:   truth(func(c *Config) *bool { return &c.ReadOnly }),
		},
		{
			Name: "style", Variables: []string{"OBSIDIAN_MCP_STYLE"},
			Default: "plain", Valid: []string{"plain", "contract"},
			About: "format of results and errors: `plain`, `contract`",
			set:   text(func(c *Config) *string { return &c.Style }),
		},
		{
			Name: "tag_policy", Variables: []string{"OBSIDIAN_MCP_TAG_POLICY"},
			Default: "notes", Valid: []string{"off", "notes", "strict"},
			About: "which tools may write new tags: `off` (all), `notes` (in frontmatter only note_upsert), `strict` (none)",
			set:   text(func(c *Config) *string { return &c.TagPolicy }),
		},
		{
			Name: "context", Variables: []string{"OBSIDIAN_MCP_CONTEXT"},
			Default: "on", Kind: KindBool,
			About: "append a context block to the first result of a session",
			set:   truth(func(c *Config) *bool { return &c.Context }),
		},
		{
			Name: "call_timeout", Variables: []string{"OBSIDIAN_MCP_CALL_TIMEOUT"},
			Default: "30s",
			About:   "time limit of one tool call",
			set:     duration(func(c *Config) *time.Duration { return &c.CallTimeout }),
		},
		{
			Name: "confirm_over", Variables: []string{"OBSIDIAN_MCP_CONFIRM_OVER"},
			Default: "100",
			About:   "how many notes one call may change without `confirm`; 0: no limit",
			set:     number(func(c *Config) *int { return &c.ConfirmOver }),
		},
		{
			Name: "read_limit", Variables: []string{"OBSIDIAN_MCP_READ_LIMIT"},
			Default: "60000",
			About:   "characters that read_note returns without a line range; 0: all",
			set:     number(func(c *Config) *int { return &c.ReadLimit }),
		},
		{
			Name: "prompts_folder", Variables: []string{"OBSIDIAN_MCP_PROMPTS_FOLDER"},
			Default: "Prompts",
			About:   "folder of the vault whose notes are prompts; `-`: none",
			set:     vaultFolder(func(c *Config) *string { return &c.Prompts }),
		},
		{
			Name: "cache_dir", Variables: []string{"OBSIDIAN_MCP_CACHE_DIR"},
			Default: "the user's cache folder", Kind: KindFolder, mayBeOff: true, computed: defaultCacheDir,
			About: "folder that keeps the index, with the notes' text, for the next start (mode 0600); `off`: none",
			path:  func(c *Config) *string { return &c.CacheDir },
		},
		{
			Name: "state_dir", Variables: []string{"OBSIDIAN_MCP_STATE_DIR"},
			Default: "the user's state folder", Kind: KindFolder, computed: defaultStateDir,
			About: "folder of the journals and the history",
			path:  func(c *Config) *string { return &c.StateDir },
		},
		{
			Name: "log_level", Variables: []string{"LOG_LEVEL"},
			Default: "info", Valid: []string{"debug", "info", "warn", "error"}, Generic: true, computed: defaultLogLevel,
			About: "`debug`, `info`, `warn` or `error`; logs go to stderr and never contain note text",
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

package config

// History holds the settings of the history of changes.
type History struct {
	Mode string // HistoryRequired, HistoryOptional, HistoryOff
	Days int    // how long changes are kept
	MB   int    // how much of them, in millions of bytes
}

// The history modes: what happens to a change that cannot be recorded.
const (
	HistoryRequired = "required" // it is refused
	HistoryOptional = "optional" // it is made anyway
	HistoryOff      = "off"      // nothing is recorded
)

// historySettings lists the settings of the history and the audit log.
func historySettings() []Setting {
	return []Setting{
		{
			Name: "history", Variables: []string{"OBSIDIAN_MCP_HISTORY"},
			Default: HistoryRequired, Valid: []string{HistoryRequired, HistoryOptional, HistoryOff},
			About: "whether changes are recorded for undo: `required` (a change that cannot be recorded is refused), " +
				"`optional` (it is made anyway), `off`",
			set: text(func(c *Config) *string { return &c.History.Mode }),
		},
		{
			Name: "history_days", Variables: []string{"OBSIDIAN_MCP_HISTORY_DAYS"},
			Default: "30",
			About:   "how many days changes are kept",
			set:     between(1, 36500, func(c *Config) *int { return &c.History.Days }),
		},
		{
			Name: "history_mb", Variables: []string{"OBSIDIAN_MCP_HISTORY_MB"},
			Default: "1000",
			About:   "how much space the changes may take, in MB; the oldest are dropped first",
			set:     between(1, 1_000_000, func(c *Config) *int { return &c.History.MB }),
		},
		{
			Name: "audit_log", Variables: []string{"OBSIDIAN_MCP_AUDIT_LOG"},
			Default: "off", Kind: KindFile, mayBeOff: true,
			About: "file that gets a line of JSON for every call: who, which tool, which notes, hashes; never note text. " +
				"If it cannot be written, writes are refused",
			path: func(c *Config) *string { return &c.AuditLog },
		},
	}
}

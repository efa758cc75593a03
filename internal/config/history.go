package config

// History holds the settings of the history of changes.
type History struct {
	Mode string // HistoryRequired, HistoryOptional, HistoryOff
	Days int    // how long changes are kept
	MB   int    // how much of them, in millions of bytes
}

// What happens to a change that cannot be recorded.
const (
	HistoryRequired = "required" // it is refused
	HistoryOptional = "optional" // it is made nevertheless
	HistoryOff      = "off"      // none is recorded
)

// historySettings lists the rows of what is kept about changes and calls.
func historySettings() []Setting {
	return []Setting{
		{
			Name: "history", Variables: []string{"OBSIDIAN_MCP_HISTORY"},
			Default: HistoryRequired, Valid: []string{HistoryRequired, HistoryOptional, HistoryOff},
			About: "whether changes are recorded, so that they can be undone: `required` (a change that cannot be recorded is refused), `optional` (it is made), `off`",
			set:   text(func(c *Config) *string { return &c.History.Mode }),
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
			About:   "how much room they may take, in MB; the oldest go first",
			set:     between(1, 1_000_000, func(c *Config) *int { return &c.History.MB }),
		},
		{
			Name: "audit_log", Variables: []string{"OBSIDIAN_MCP_AUDIT_LOG"},
			Default: "off", Kind: KindFile, mayBeOff: true,
			About: "a file that gets one line of JSON a call: who, which tool, which notes, hashes; never their text. Where it cannot be written, writes are refused",
			path:  func(c *Config) *string { return &c.AuditLog },
		},
	}
}

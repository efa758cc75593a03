package clients

import "obsidian-mcp/internal/install/entry"

// table holds the clients.
//
// Each row was checked against the client's own documentation or source, with these exceptions. Claude Desktop has no
// official Linux version; unofficial builds use the folder below. Whether Cursor and Windsurf accept comments in their
// files is not documented, so comments are left alone rather than refused. Zed is not looked up on the PATH, where "zed"
// is often another program.
var table = []Client{
	{
		ID: "claude-desktop", Name: "Claude Desktop",
		Next:   "quit Claude Desktop (from its menu or tray icon, not just its window) and start it again",
		where:  "claude_desktop_config.json (Settings > Developer > Edit Config)",
		format: entry.JSON, key: "mcpServers",
		file:     func(m Machine) string { return join(m.claudeDesktop(), "claude_desktop_config.json") },
		signs:    func(m Machine) []string { return []string{m.claudeDesktop()} },
		local:    starts(),
		logFiles: Machine.claudeDesktopLogs,
	},
	{
		ID: "claude-code", Name: "Claude Code", Next: "restart Claude Code; /mcp lists its servers",
		where:  "a terminal",
		format: entry.JSON, key: "mcpServers",
		file:    Machine.claudeCode,
		signs:   func(m Machine) []string { return []string{m.claudeCodeFolder()} },
		program: "claude",
		local:   starts(entry.Field{Name: "type", Value: "stdio"}),
		remote:  calls("url", "headers", entry.Field{Name: "type", Value: "http"}),
		command: claudeCommand,
		logFiles: func(m Machine) []pattern {
			return []pattern{{join(m.cache(), "claude-cli-nodejs"), "*/mcp-logs-NAME/*"}}
		},
	},
	{
		ID: "cursor", Name: "Cursor",
		Next:   "look at Cursor's Settings > Tools & MCP, and switch the server on there if it is off",
		where:  "~/.cursor/mcp.json",
		format: entry.JSONC, key: "mcpServers",
		file:    func(m Machine) string { return m.home(".cursor", "mcp.json") },
		signs:   func(m Machine) []string { return []string{m.home(".cursor")} },
		program: "cursor",
		local:   starts(),
		remote:  calls("url", "headers"),
		logFiles: func(m Machine) []pattern {
			return []pattern{{m.config("Cursor", "logs"), "*/window*/exthost/anysphere.cursor*/*MCP*.log"}}
		},
	},
	{
		ID: "vscode", Name: "VS Code",
		Next:   "run \"MCP: List Servers\" from VS Code's command palette, and start the server there",
		where:  "the command \"MCP: Open User Configuration\", or .vscode/mcp.json in a folder",
		format: entry.JSONC, key: "servers",
		file:    func(m Machine) string { return m.config("Code", "User", "mcp.json") },
		signs:   func(m Machine) []string { return []string{m.config("Code", "User")} },
		program: "code",
		local:   starts(entry.Field{Name: "type", Value: "stdio"}),
		remote:  calls("url", "headers", entry.Field{Name: "type", Value: "http"}),
		logFiles: func(m Machine) []pattern {
			folder := m.config("Code", "logs")
			return []pattern{{folder, "*/window*/mcpServer*NAME*.log"}, {folder, "*/mcpServer*NAME*.log"}}
		},
	},
	{
		ID: "windsurf", Name: "Windsurf", Next: "press the refresh button of Windsurf's MCP servers",
		where:  "~/.codeium/windsurf/mcp_config.json",
		format: entry.JSONC, key: "mcpServers",
		file:    func(m Machine) string { return m.home(".codeium", "windsurf", "mcp_config.json") },
		signs:   func(m Machine) []string { return []string{m.home(".codeium", "windsurf")} },
		program: "windsurf",
		local:   starts(),
		remote:  calls("serverUrl", "headers"),
		logFiles: func(m Machine) []pattern {
			return []pattern{{m.config("Windsurf", "logs"), "*/window*/exthost/codeium.windsurf/*.log"}}
		},
	},
	{
		ID: "zed", Name: "Zed", Next: "nothing: Zed takes it up at once; Settings > AI > MCP Servers shows it",
		where:  "Zed's settings file (the action \"zed: open settings file\")",
		format: entry.JSONC, key: "context_servers",
		file:     func(m Machine) string { return join(m.zed(), "settings.json") },
		signs:    func(m Machine) []string { return []string{m.zed()} },
		local:    starts(),
		remote:   calls("url", "headers"),
		logFiles: func(m Machine) []pattern { return []pattern{{m.zedLogs(), "Zed.log"}} },
	},
	{
		ID: "gemini", Name: "Gemini CLI", Next: "restart Gemini CLI; /mcp lists its servers",
		where:  "~/.gemini/settings.json",
		format: entry.JSONC, key: "mcpServers",
		file:    func(m Machine) string { return m.home(".gemini", "settings.json") },
		signs:   func(m Machine) []string { return []string{m.home(".gemini")} },
		program: "gemini",
		local:   starts(),
		remote:  calls("httpUrl", "headers"),
	},
	{
		ID: "codex", Name: "Codex CLI", Next: "restart Codex; /mcp lists its servers",
		where:  "~/.codex/config.toml",
		format: entry.TOML, key: "mcp_servers",
		file:    func(m Machine) string { return join(m.codex(), "config.toml") },
		signs:   func(m Machine) []string { return []string{m.codex()} },
		program: "codex",
		local:   starts(),
		remote:  calls("url", "http_headers"),
		logFiles: func(m Machine) []pattern {
			return []pattern{{join(m.codex(), "log"), "*.log"}}
		},
	},
	{
		ID: "chatgpt", Name: "ChatGPT", Next: "choose the connector in a new chat",
		where:  "ChatGPT in a browser, with developer mode on",
		advice: chatGPT,
	},
}

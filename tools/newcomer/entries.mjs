// Finds the servers in the configuration of any client.
import { parse } from "smol-toml";

const keys = ["mcpServers", "servers", "context_servers", "mcp_servers"];

export function entriesOf({ language, text }) {
  if (language !== "json" && language !== "toml") return [];
  const configuration = language === "json" ? JSON.parse(text) : parse(text);
  const servers = keys.map((key) => configuration[key]).find(Boolean) ?? {};
  return Object.entries(servers).map(([name, entry]) => ({
    name, command: entry.command, args: entry.args ?? [], env: entry.env ?? {},
    url: entry.url ?? entry.serverUrl ?? entry.httpUrl, headers: entry.headers ?? entry.http_headers ?? {},
  }));
}

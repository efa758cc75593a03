// Finds the servers that a configuration names, whichever client it is for.
import { parse } from "smol-toml";

const keys = ["mcpServers", "servers", "context_servers", "mcp_servers"];

export function entriesOf({ language, text }) {
  if (language !== "json" && language !== "toml") return [];
  const whole = language === "json" ? JSON.parse(text) : parse(text);
  const servers = keys.map((key) => whole[key]).find(Boolean) ?? {};
  return Object.entries(servers).map(([name, one]) => ({
    name, command: one.command, args: one.args ?? [], env: one.env ?? {},
    url: one.url ?? one.serverUrl ?? one.httpUrl, headers: one.headers ?? one.http_headers ?? {},
  }));
}

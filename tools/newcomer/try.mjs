// Starts or calls a server as a configuration entry says, and reads a note.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export async function tryEntry(entry, home) {
  const client = new Client({ name: "newcomer", version: "1" });
  await client.connect(transportOf(entry, home));
  try {
    assert.equal(client.getServerVersion().name, "obsidian-mcp");
    const answer = await client.callTool({ name: "read_note", arguments: { name: "Home" } });
    assert.ok(!answer.isError && answer.content[0].text.length > 50, JSON.stringify(answer));
  } finally {
    await client.close();
  }
}

// Clients pass only little of their own environment to a program.
function transportOf(entry, home) {
  if (entry.url) return new StreamableHTTPClientTransport(new URL(entry.url), { requestInit: { headers: entry.headers } });
  return new StdioClientTransport({ command: entry.command, args: entry.args, env: { HOME: home, PATH: process.env.PATH, ...entry.env } });
}

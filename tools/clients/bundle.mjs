// Starts a server from a client's configuration: a command, its arguments and
// its variables, and nothing else of this machine's environment.
import { mkdirSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

// withServer runs body with a client of the server; home is where it keeps its
// things.
export async function withServer({ command, args, env }, home, body) {
  mkdirSync(home, { recursive: true });
  const client = new Client({ name: "check", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, env: { HOME: home, LOG_LEVEL: "warn", ...env } }));
  try {
    await body(client);
  } finally {
    await client.close();
  }
}

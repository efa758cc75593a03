// Starts a server as a client's configuration says: a command, its arguments and its variables, without the rest of
// this machine's environment.
import { mkdirSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

// withServer calls body with a client of the server. home is the server's home folder.
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

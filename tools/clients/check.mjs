// Tests the program over every transport with the client of the official TypeScript SDK and, with "all", with the
// command line of the MCP inspector.
// Usage: node check.mjs BINARY VAULT STATE sdk|all
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { checks } from "./checks.mjs";
import { tryClient } from "./client.mjs";
import * as inspector from "./inspector.mjs";
import { serve } from "./serve.mjs";
import { trySessions, tryWithoutToken } from "./sessions.mjs";

const [binary, vault, state, clients] = process.argv.slice(2);
const token = "a-token-for-these-checks-alone";

const tryInspector = (...call) => (clients === "all" ? inspector.tryInspector(...call) : undefined);

async function overStdio() {
  const env = { ...process.env, OBSIDIAN_VAULT_PATH: vault, OBSIDIAN_MCP_STATE_DIR: state, LOG_LEVEL: "warn" };
  await tryClient("stdio", new StdioClientTransport({ command: binary, args: ["stdio"], env }), vault);
  await tryInspector("stdio", ["-e", `OBSIDIAN_VAULT_PATH=${vault}`, "-e", `OBSIDIAN_MCP_STATE_DIR=${state}`, binary]);
}

// overHTTP tests the HTTP transports of a server, with the same headers in every request.
async function overHTTP(base, how, headers) {
  const mcp = new URL("/mcp", base), sse = new URL("/sse", base), requestInit = { headers };
  const flags = Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
  await tryClient(`HTTP${how}`, new StreamableHTTPClientTransport(mcp, { requestInit }), vault);
  await tryClient(`SSE${how}`, new SSEClientTransport(sse, { requestInit }), vault);
  await trySessions(`HTTP${how}`, mcp, requestInit, vault);
  await tryInspector(`HTTP${how}`, [mcp.href, "--transport", "http", ...flags]);
  if (flags.length === 0) await tryInspector(`SSE${how}`, [sse.href, "--transport", "sse"]); // once is enough, because it starts slowly
}

await overStdio();
const open = await serve(binary, vault, `${state}-open`);
await overHTTP(open.base, "", {});
await open.stop();
const guarded = await serve(binary, vault, `${state}-guarded`, { OBSIDIAN_MCP_TOKEN: token });
await overHTTP(guarded.base, " with a token", { Authorization: `Bearer ${token}` });
await tryWithoutToken(guarded.base);
await guarded.stop();
console.log(`${checks} passed, 0 failed`);

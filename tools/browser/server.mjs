// Starts servers, each with its own vault, state and settings, so that groups of checks can run in parallel.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { serve as start } from "../clients/serve.mjs";
import { exampleVault } from "./vaults.mjs";

const { PROGRAM: program, WORK: work } = process.env;
const sdk = createRequire(new URL("../clients/package.json", import.meta.url));
const { Client } = sdk("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = sdk("@modelcontextprotocol/sdk/client/streamableHttp.js");

process.setMaxListeners(0); // each server adds one

// Servers start one at a time: between finding a free port and listening on it, another server could take it.
let last = Promise.resolve();

// serve starts a server and waits until its index is built. vault is a folder: by default a new copy of the example;
// null if the settings name a database. tokens are entries of the config file with their secrets.
export function serve({ vault = exampleVault(), settings = {}, tokens = [] } = {}) {
  const home = folder("home");
  if (tokens.length > 0) writeConfig(home, tokens);
  const env = {
    HOME: home, XDG_CONFIG_HOME: home, OBSIDIAN_MCP_CACHE_DIR: "off", LOG_LEVEL: "error",
    OBSIDIAN_VAULT_PATH: vault ?? undefined, ...settings,
  };
  const started = last.then(() => start(program, vault, folder("state"), env));
  last = started.catch(() => {});
  return started.then((server) => ({ ...server, vault }));
}

// folder creates an empty folder.
export function folder(name) {
  return mkdtempSync(join(work, `${name}-`));
}

// run runs another command of the program.
export async function run(args, settings) {
  const env = { PATH: process.env.PATH, HOME: folder("home"), OBSIDIAN_MCP_STATE_DIR: folder("state"), ...settings };
  return promisify(execFile)(program, args, { env });
}

// client connects a real MCP client to a server.
export async function client(base, token) {
  const requestInit = { headers: token ? { Authorization: `Bearer ${token}` } : {} };
  const connected = new Client({ name: "browser check", version: "1" });
  await connected.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }));
  const call = async (name, args = {}) => connected.callTool({ name, arguments: args });
  return { call, list: () => connected.listTools(), close: () => connected.close() };
}

// writeConfig writes the config file for Linux and for macOS.
function writeConfig(home, tokens) {
  const entries = tokens.map(({ secret, ...limits }) => ({ ...limits, sha256: createHash("sha256").update(secret).digest("hex") }));
  for (const dir of [home, join(home, "Library/Application Support")]) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "obsidian-mcp.yaml"), JSON.stringify({ tokens: entries })); // JSON is YAML too
  }
}

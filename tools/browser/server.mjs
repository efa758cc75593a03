// The program as a server, each time with a vault, a state and settings of its
// own, so that groups of checks can run side by side.
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

process.setMaxListeners(0); // each server has one, and there are many

// One at a time: between finding a free port and taking it, another server
// could take it.
let last = Promise.resolve();

// serve starts a server and waits until its index is built. vault is a folder
// (a fresh copy of the example unless given; null: none, the settings name a
// database), tokens are entries of the config file whose secrets are known.
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

// folder makes an empty one.
export function folder(name) {
  return mkdtempSync(join(work, `${name}-`));
}

// run has the program do something else than serve.
export async function run(args, settings) {
  const env = { PATH: process.env.PATH, HOME: folder("home"), OBSIDIAN_MCP_STATE_DIR: folder("state"), ...settings };
  return promisify(execFile)(program, args, { env });
}

// client is a real MCP client of a server.
export async function client(base, token) {
  const requestInit = { headers: token ? { Authorization: `Bearer ${token}` } : {} };
  const made = new Client({ name: "browser check", version: "1" });
  await made.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }));
  const call = async (name, args = {}) => made.callTool({ name, arguments: args });
  return { call, list: () => made.listTools(), close: () => made.close() };
}

// writeConfig writes the config file to where Linux and macOS look for it.
function writeConfig(home, tokens) {
  const entries = tokens.map(({ secret, ...limits }) => ({ ...limits, sha256: createHash("sha256").update(secret).digest("hex") }));
  for (const place of [home, join(home, "Library/Application Support")]) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "obsidian-mcp.yaml"), JSON.stringify({ tokens: entries })); // which is YAML, too
  }
}

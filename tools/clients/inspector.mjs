// Tests with the command line of the MCP inspector.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { check } from "./checks.mjs";

// tryInspector tests a server that the inspector starts or connects to. target holds the arguments that name it.
export async function tryInspector(over, target) {
  const cli = join(dirname(fileURLToPath(import.meta.url)), "inspector", "node_modules", ".bin", "mcp-inspector");
  const scratch = mkdtempSync(join(tmpdir(), "inspector-"));
  const env = { ...process.env, HOME: scratch }; // for its files
  const run = (...args) => promisify(execFile)(cli, ["--cli", ...target, ...args], { env });

  await check(`inspector over ${over}: lists the tools`, async () => {
    const { stdout } = await run("--method", "tools/list");
    assert.match(stdout, /"read_note"/);
  });
  await check(`inspector over ${over}: calls a tool`, async () => {
    const { stdout } = await run("--method", "tools/call", "--tool-name", "list_notes", "--tool-arg", "limit=1");
    assert.match(stdout, /total/);
  });
  await check(`inspector over ${over}: lists and reads resources`, async () => {
    const { stdout } = await run("--method", "resources/list");
    const { resources } = JSON.parse(stdout);
    const read = await run("--method", "resources/read", "--uri", resources.at(-1).uri);
    assert.match(read.stdout, /text\/markdown/);
  });
  await check(`inspector over ${over}: a failing tool fails the command`, async () => {
    await assert.rejects(run("--method", "tools/call", "--tool-name", "read_note", "--tool-arg", "name=no such note"), { code: 5 });
  });
  rmSync(scratch, { recursive: true });
}

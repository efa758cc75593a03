// Runs the clients themselves, each with its own home folder, on a configuration block.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

function home(work) {
  const folder = mkdtempSync(join(work, "client-"));
  const run = (command, args, more = {}) => {
    const path = `${join(here, "node_modules/.bin")}:${join(here, "all/node_modules/.bin")}:${process.env.PATH}`;
    const result = spawnSync(command, args, { cwd: folder, encoding: "utf8", timeout: 120_000, env: { ...process.env, HOME: folder, PATH: path, ...more } });
    assert.equal(result.status, 0, `${command} ${args.join(" ")}: ${result.error ?? ""}\n${result.stdout}\n${result.stderr}`);
    return result.stdout + result.stderr;
  };
  const write = (name, text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  return { run, write };
}

export function inClaudeCode(command, work) {
  const { run } = home(work);
  run("bash", ["-c", command]);
  assert.match(run("claude", ["mcp", "list"]), /obsidian: .*Connected/);
}

export function inCodex(text, work) {
  const { run, write } = home(work);
  write(".codex/config.toml", text);
  assert.match(run("codex", ["mcp", "list"]), /obsidian .*enabled/);
}

export function inGemini(text, work) {
  const { run, write } = home(work);
  write(".gemini/settings.json", text);
  assert.match(run("gemini", ["mcp", "list"], { GEMINI_CLI_TRUST_WORKSPACE: "true" }), /obsidian: .*Connected/);
}

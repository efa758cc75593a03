// The clients themselves, each with a home of its own: what they make of a
// block.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

function home(work) {
  const made = mkdtempSync(join(work, "client-"));
  const run = (command, args, more = {}) => {
    const path = `${join(here, "node_modules/.bin")}:${join(here, "all/node_modules/.bin")}:${process.env.PATH}`;
    const done = spawnSync(command, args, { cwd: made, encoding: "utf8", timeout: 120_000, env: { ...process.env, HOME: made, PATH: path, ...more } });
    assert.equal(done.status, 0, `${command} ${args.join(" ")}: ${done.error ?? ""}\n${done.stdout}\n${done.stderr}`);
    return done.stdout + done.stderr;
  };
  const write = (name, text) => {
    mkdirSync(dirname(join(made, name)), { recursive: true });
    writeFileSync(join(made, name), text);
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

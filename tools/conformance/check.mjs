// Runs the official conformance suite against the program over HTTP: first the program itself, then a build of it with
// the suite's fixtures.
// Usage: node check.mjs PROGRAM BUILD-WITH-FIXTURES VAULT
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "../clients/serve.mjs";
import { asIs, expectedEmpty, expectedFailures, needsFixture, required, untestable } from "./scenarios.mjs";

const [program, withFixtures, vault] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const work = mkdtempSync(join(tmpdir(), "conformance-"));
const problems = [];
const servers = [];

// start serves a copy of the vault.
async function start(binary, name) {
  cpSync(vault, join(work, name), { recursive: true });
  const server = await serve(binary, join(work, name), join(work, `${name}-state`));
  servers.push(server);
  return `${server.base}/mcp`;
}

// run runs a suite, and returns its exit status, its output, and the checks of each scenario.
async function run(suite, ...args) {
  const out = mkdtempSync(join(work, "results-"));
  const cli = join(here, "node_modules", suite, "dist", "index.js");
  const child = spawn(process.execPath, [cli, "server", ...args, "-o", out], { stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  const [status] = await once(child, "close");
  const scenarios = {};
  for (const folder of readdirSync(out)) {
    const [, scenario] = /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder) ?? [];
    if (scenario) scenarios[scenario] = JSON.parse(readFileSync(join(out, folder, "checks.json"), "utf8"));
  }
  return { status, output, scenarios };
}

const count = (checks, status) => checks.filter((check) => check.status === status).length;
const complain = (where, check) => problems.push(`${where}: ${check.id}: ${check.status} ${check.errorMessage ?? ""}`);

// tryAsIs runs the scenarios of a revision that need no fixtures, three at a time.
async function tryAsIs(url, revision) {
  const left = Object.entries(asIs[revision]);
  let scenarios = 0, passed = 0;
  const worker = async () => {
    for (let next; (next = left.shift()); ) {
      const [scenario, least] = next;
      const { output, scenarios: results } = await run("conformance", "--url", url, "--scenario", scenario, "--spec-version", revision);
      const checks = results[scenario] ?? [];
      const where = `${revision} ${scenario}`;
      const ok = count(checks, "SUCCESS");
      if (ok < least) problems.push(`${where}: ${ok} checks passed, want ${least}\n${output}`);
      for (const check of checks) {
        const excused = (untestable[scenario]?.includes(check.id) && check.errorMessage?.startsWith("Not testable")) || needsFixture.includes(check.id);
        if (["FAILURE", "WARNING"].includes(check.status) && !excused) complain(where, check);
      }
      scenarios++;
      passed += ok;
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  report("the program itself", `${revision}, as is`, scenarios, passed);
}

// tryAll runs a complete suite.
async function tryAll(url, { name, suite, revision }) {
  const { status, output, scenarios } = await run(suite, "--url", url, ...(revision ? ["--requirements", revision] : []));
  if (status !== 0) problems.push(`${name}: the suite exited with ${status}\n${output}`);
  const wanted = revision ? scored(revision) : Object.keys(scenarios);
  if (wanted.length === 0) problems.push(`${name}: no scenario was run`);
  let passed = 0;
  for (const scenario of new Set([...wanted, ...Object.keys(scenarios)])) {
    const checks = scenarios[scenario] ?? [];
    const isWanted = wanted.includes(scenario);
    const bad = checks.filter((check) => ["FAILURE", "WARNING"].includes(check.status) || (isWanted && check.status === "SKIPPED"));
    if (!isWanted && expectedFailures.includes(scenario)) {
      if (bad.length === 0) problems.push(`${name}: ${scenario} passes, but is expected to fail`);
      continue;
    }
    const ok = count(checks, "SUCCESS");
    if ((ok === 0) !== (!isWanted && expectedEmpty.includes(scenario))) problems.push(`${name}: ${scenario}: ${ok} checks passed`);
    for (const check of bad) complain(`${name}: ${scenario}`, check);
    passed += isWanted ? ok : 0;
  }
  const beside = Object.keys(scenarios).filter((scenario) => !wanted.includes(scenario));
  const failing = beside.filter((scenario) => expectedFailures.includes(scenario));
  report("with the fixtures", name, wanted.length, passed, beside.length > 0 ? `; ${beside.length} not scored, ${failing.length} of them expected to fail` : "");
}

// scored returns the scenarios that a revision requires of a server.
function scored(revision) {
  const text = readFileSync(join(here, "node_modules", "conformance", "requirements", `${revision}.yaml`), "utf8");
  const [, list] = /^server:\n((?:  - .*\n|\s*#.*\n)+)/m.exec(text);
  return [...list.matchAll(/^  - (.+)$/gm)].map(([, scenario]) => scenario);
}

function report(what, name, scenarios, checks, more = "") {
  console.log(`${what.padEnd(20)} ${name.padEnd(30)} ${String(scenarios).padStart(3)} scenarios ${String(checks).padStart(4)} checks${more}`);
}

try {
  const [own, fixtures] = await Promise.all([start(program, "own"), start(withFixtures, "fixtures")]);
  for (const revision of Object.keys(asIs)) await tryAsIs(own, revision);
  for (const set of required) await tryAll(fixtures, set);
} catch (error) {
  problems.push(String(error));
} finally {
  for (const server of servers) await server.stop().catch((error) => problems.push(String(error)));
  rmSync(work, { recursive: true, force: true });
}
for (const problem of problems) console.error(`FAIL ${problem}`);
process.exit(problems.length > 0 ? 1 : 0);

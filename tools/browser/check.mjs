// Tests the page in a real browser. Usage: node check.mjs [WORD…], with the variables that the script run sets.
import { availableParallelism } from "node:os";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "./browser.mjs";
import { Group } from "./report.mjs";
import { stories } from "./stories.mjs";
import { storybook } from "./storybook.mjs";

const pictures = fileURLToPath(new URL("../../bin/browser", import.meta.url));
const wanted = process.argv.slice(2);
const chosen = Object.entries(stories).filter(([name]) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (chosen.length === 0) throw new Error(`no such group; the groups are ${Object.keys(stories).join(", ")}`);
if (wanted.length === 0) rmSync(pictures, { recursive: true, force: true });
mkdirSync(pictures, { recursive: true });

const begun = performance.now(), groups = [], waiting = [...chosen];
console.log(`Chromium ${await chromium.start()}`);

async function work() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, story] = next, group = new Group(name, pictures);
    groups.push(group);
    await group.run(story);
  }
}

// One more worker than cores, because workers often wait for a server to start or a page to settle.
await Promise.all(Array.from({ length: availableParallelism() + 1 }, work));
await chromium.stop();
storybook(pictures);
if (process.env.CI_ARTIFACTS) cpSync(pictures, join(process.env.CI_ARTIFACTS, "browser"), { recursive: true });

const checks = groups.reduce((sum, group) => sum + group.checks, 0), failed = groups.reduce((sum, group) => sum + group.failures.length, 0);
console.log(`${checks} checks in ${groups.length} groups, ${failed} failed, ${((performance.now() - begun) / 1000).toFixed(0)} s; pictures in bin/browser/index.html`);
process.exitCode = failed > 0 ? 1 : 0;

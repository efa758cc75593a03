// Makes five calls to a server of the example vault with the official SDK's client, undoes the last one, and shows the
// answers. It checks every answer, and exits with an error if one is wrong.
// Usage: node demo.mjs URL VAULT
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { answerLines, heading, request } from "./show.mjs";

const [url, vault] = process.argv.slice(2);
const client = new Client({ name: "demo", version: "1" });
const read = (path) => readFileSync(join(vault, path), "utf8");

const begun = performance.now();
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const { tools } = await client.listTools();
heading(`${client.getServerVersion().name} offers ${tools.length} tools; the client was connected in ${(performance.now() - begun).toFixed(0)} ms`);

// ask calls a tool, and prints the lines that show returns for its answer.
async function ask(question, name, args, show) {
  const begun = performance.now();
  const result = await client.callTool({ name, arguments: args });
  request(question, name, args, performance.now() - begun);
  assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
  answerLines(show(result));
  return result;
}

// allFiles returns the text of every visible file of the vault, by path.
function allFiles() {
  const files = readdirSync(vault, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const visible = files.map((file) => join(file.parentPath ?? file.path, file.name)).filter((path) => !path.slice(vault.length).includes("/."));
  return Object.fromEntries(visible.sort().map((path) => [path, readFileSync(path, "latin1")]));
}

await ask("Where did we say that the rollback must be rehearsed?", "find_notes", { query: "rehearse rollback", limit: 3, include_content: false }, ({ structuredContent: { notes, total } }) => {
  assert.ok(total >= 3, `${total} notes`);
  assert.ok(notes.some((note) => note.title === "Checklists"), "Checklists is found");
  return notes.map((note) => `${note.title}: ${note.snippet}`);
});

await ask("What links to the launch?", "backlinks_search", { name: "Launch", limit: 3 }, ({ structuredContent: { backlinks, total } }) => {
  assert.equal(total, 25);
  return [...backlinks.map((link) => `${link.path}:${link.line}  ${link.text}`), `… ${total - backlinks.length} more, in notes, properties and a canvas`];
});

await ask("What did the harbour master want to know?", "read_section", { name: "2026-11-02 Launch readiness", section: "Questions" }, ({ content: [{ text }] }) => {
  assert.match(text, /who finds out first, you or the boat\?/);
  return text.split("\n").filter(Boolean);
});

const entry = "- 2026-11-16 the demo was here";
await ask("Put a line into the log (not into the code that looks like it).", "append_section", { name: "Launch", section: "Log", text: entry }, () => {
  const lines = read("Projects/Launch.md").split("\n"), at = lines.indexOf(entry);
  assert.match(lines[at - 1], /^- 2026-11-12 the ferry/);
  assert.equal(lines[at + 2], "## Open");
  return [`  ${lines[at - 1]}`, `+ ${lines[at]}`];
});

// rewritten has some links as they must be after the rename.
const rewritten = {
  "Home.md": "[[Launch 2026#Open|open tasks]]",
  "Roadmap.md": "![[Launch 2026#Open]]",
  "Meetings/2026-10-05 Kick-off.md": "[[Launch 2026#^call]]",
  "Launch board.canvas": '"file":"Archive/Launch 2026.md","subpath":"#Open"',
};
const before = allFiles();
const renamed = await ask("Rename the note and update every link to it.", "rename_note", { old_name: "Launch", new_name: "Archive/Launch 2026" }, ({ structuredContent: { files_updated, links_updated } }) => {
  assert.equal(links_updated, 25);
  const moved = read("Archive/Launch 2026.md");
  assert.ok(moved.includes("\ncode: 007\n") && moved.includes("# set by hand, do not sort"), "properties stay as they are");
  for (const [path, link] of Object.entries(rewritten)) assert.ok(read(path).includes(link), `${path} has ${link}`);
  return [`${links_updated} links in ${files_updated.length} files follow:`, ...Object.entries(rewritten).map(([path, link]) => `${path}  ${link}`)];
});

await ask("On second thoughts, undo that.", "undo_change", { id: renamed._meta.change_id }, ({ structuredContent: { restored } }) => {
  assert.deepEqual(allFiles(), before, "every file is as before");
  return [`${restored.length} files are as before, byte for byte`];
});
await client.close();

const page = await fetch(new URL("/", url));
assert.ok(page.ok && page.headers.get("content-type").startsWith("text/html"), `the page answers ${page.status}`);

// Lists and calls the tools with the official TypeScript SDK's client and with
// the MCP inspector's command line. Usage: node check.mjs BINARY VAULT STATE
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [binary, vault, state] = process.argv.slice(2);
const env = { ...process.env, OBSIDIAN_VAULT_PATH: vault, OBSIDIAN_MCP_STATE_DIR: state, LOG_LEVEL: "warn" };
let checks = 0;

async function check(what, body) {
  await body();
  checks++;
  console.log(`ok  ${what}`);
}

async function sdkClient() {
  const client = new Client({ name: "check", version: "1" });
  await client.connect(new StdioClientTransport({ command: binary, args: ["stdio"], env }));
  const call = (name, args) => client.callTool({ name, arguments: args });

  await check("TypeScript SDK: the server introduces itself", async () => {
    assert.equal(client.getServerVersion().name, "obsidian-mcp");
    assert.ok(client.getInstructions());
  });
  let tools;
  await check("TypeScript SDK: 27 tools, each described", async () => {
    ({ tools } = await client.listTools());
    assert.ok(tools.length >= 27, `${tools.length} tools`);
    for (const tool of tools) assert.ok(tool.title && tool.description && tool.annotations, tool.name);
  });
  await check("TypeScript SDK: a note is written, read, linked, renamed and deleted", async () => {
    // The client checks every structured result against the tool's schema.
    await call("create_note", { name: "checks/First", content: "# One\n\ntext" });
    await call("create_note", { name: "checks/Second", content: "see [[First]]" });
    await call("append_section", { name: "First", section: "One", text: "more" });
    const read = await call("read_note", { name: "First" });
    assert.equal(read.content[0].text.split("\n\n---\n")[0], "# One\n\ntext\n\nmore");
    const links = await call("get_links", { name: "First" });
    assert.deepEqual(links.structuredContent, { name: "First", outgoing: [], incoming: ["Second"] });
    const renamed = await call("rename_note", { old_name: "First", new_name: "Third" });
    assert.deepEqual(renamed.structuredContent.files_updated, ["Second"]);
    assert.equal(readFileSync(join(vault, "checks/Second.md"), "utf8"), "see [[Third]]");
    const headings = await call("get_headings", { name: "Third" });
    assert.deepEqual(headings.structuredContent, { result: [{ level: 1, text: "One" }] });
    for (const name of ["Third", "Second"]) await call("delete_note", { name });
  });
  await check("TypeScript SDK: every tool without arguments answers", async () => {
    for (const tool of tools) assert.ok((await call(tool.name, {})).content[0].text, tool.name);
  });
  await check("TypeScript SDK: errors are results, an unknown tool is a protocol error", async () => {
    const missing = await call("read_note", { name: "no such note" });
    assert.ok(missing.isError);
    assert.equal(missing.content[0].text, "Note 'no such note' not found");
    await assert.rejects(call("no_such_tool", {}), { code: -32602 });
  });
  await check("TypeScript SDK: the context as resource and as prompt", async () => {
    const { contents } = await client.readResource({ uri: "obsidian-mcp://context" });
    assert.match(contents[0].text, /## Allowed tags/);
    const { messages } = await client.getPrompt({ name: "context" });
    assert.match(messages[0].content.text, /## Allowed tags/);
  });
  await check("TypeScript SDK: notes are listed, read and completed as resources", async () => {
    const { resourceTemplates: [template] } = await client.listResourceTemplates();
    const path = { ref: { type: "ref/resource", uri: template.uriTemplate }, argument: { name: "path", value: "" } };
    assert.ok((await client.complete(path)).completion.values.length > 0);
    const notes = (await client.listResources()).resources.filter((one) => one.uri.startsWith("mcp-obsidian://"));
    assert.ok(notes.length > 0 && notes.length <= 10, `${notes.length} notes`);
    for (const note of notes) {
      const { contents: [content] } = await client.readResource({ uri: note.uri });
      assert.equal(content.text, readFileSync(join(vault, note.description.replace("Path: ", "")), "utf8"));
    }
    await assert.rejects(client.readResource({ uri: notes[0].uri + "x" }), { code: -32002 });
  });
  await check("TypeScript SDK: an edit from elsewhere is told to those who subscribed", async () => {
    await call("create_note", { name: "checks/Watched", content: "old" });
    const uri = (await client.listResources()).resources.find((one) => one.title === "Watched").uri;
    await client.subscribeResource({ uri });
    const told = new Promise((resolve) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)));
    writeFileSync(join(vault, "checks/Watched.md"), "new");
    assert.equal(await told, uri);
    assert.equal((await client.readResource({ uri })).contents[0].text, "new");
    await client.unsubscribeResource({ uri });
    const listed = new Promise((resolve) => client.setNotificationHandler(ResourceListChangedNotificationSchema, resolve));
    await call("delete_note", { name: "Watched" });
    await listed;
  });
  await check("TypeScript SDK: prompts and what their arguments may be", async () => {
    const { prompts } = await client.listPrompts();
    for (const name of ["context", "devlog", "adr", "review", "gather"]) assert.ok(prompts.some((one) => one.name === name), name);
    const tag = { ref: { type: "ref/prompt", name: "gather" }, argument: { name: "tag", value: "" } };
    const { completion } = await client.complete(tag);
    const { messages } = await client.getPrompt({ name: "gather", arguments: { tag: completion.values[0] } });
    assert.ok(messages[0].content.text.includes(completion.values[0]));
  });
  await client.close();
}

async function inspector() {
  const cli = join(dirname(fileURLToPath(import.meta.url)), "inspector", "node_modules", ".bin", "mcp-inspector");
  const scratch = mkdtempSync(join(tmpdir(), "inspector-"));
  const run = (...args) => promisify(execFile)(cli, ["--cli", "-e", `OBSIDIAN_VAULT_PATH=${vault}`, "-e", `OBSIDIAN_MCP_STATE_DIR=${state}`, binary, ...args], { env: { ...env, HOME: scratch } });

  await check("inspector: lists the tools", async () => {
    const { stdout } = await run("--method", "tools/list");
    assert.match(stdout, /"read_note"/);
  });
  await check("inspector: calls a tool", async () => {
    const { stdout } = await run("--method", "tools/call", "--tool-name", "list_notes", "--tool-arg", "limit=1");
    assert.match(stdout, /total/);
  });
  await check("inspector: lists and reads resources", async () => {
    const { stdout } = await run("--method", "resources/list");
    const { resources } = JSON.parse(stdout);
    const read = await run("--method", "resources/read", "--uri", resources.at(-1).uri);
    assert.match(read.stdout, /text\/markdown/);
  });
  await check("inspector: a failing tool fails the command", async () => {
    await assert.rejects(run("--method", "tools/call", "--tool-name", "read_note", "--tool-arg", "name=no such note"));
  });
}

await sdkClient();
await inspector();
console.log(`${checks} passed, 0 failed`);

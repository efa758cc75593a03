// Tests with the client of the official TypeScript SDK.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { check } from "./checks.mjs";

// tryClient makes every kind of request over a transport.
export async function tryClient(over, transport, vault) {
  const client = new Client({ name: "check", version: "1" });
  await client.connect(transport);
  const call = (name, args) => client.callTool({ name, arguments: args });

  await check(`TypeScript SDK over ${over}: the server introduces itself`, async () => {
    assert.equal(client.getServerVersion().name, "obsidian-mcp");
    assert.ok(client.getInstructions());
  });
  let tools;
  await check(`TypeScript SDK over ${over}: at least 27 tools, each with a description`, async () => {
    ({ tools } = await client.listTools());
    assert.ok(tools.length >= 27, `${tools.length} tools`);
    for (const tool of tools) assert.ok(tool.title && tool.description && tool.annotations, tool.name);
  });
  await check(`TypeScript SDK over ${over}: a note is written, read, linked, renamed and deleted`, async () => {
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
  await check(`TypeScript SDK over ${over}: a picture, a sound and a saved file arrive byte for byte`, async () => {
    const picture = await call("read_file", { name: "harbour.png" });
    const shown = picture.content.find((item) => item.type === "image");
    assert.equal(shown.mimeType, "image/png");
    assert.equal(shown.data, readFileSync(join(vault, "Attachments/harbour.png")).toString("base64"));
    const sound = Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1"), Buffer.from([0xff, 0xfb, 0x90, 0x44])]).toString("base64");
    const { path } = (await call("write_file", { name: "ping.mp3", data: sound })).structuredContent;
    const heard = await call("read_file", { name: path });
    assert.equal(heard.structuredContent.kind, "audio");
    assert.deepEqual(heard.content.find((item) => item.type === "audio"), { type: "audio", data: sound, mimeType: "audio/mpeg" });
  });
  await check(`TypeScript SDK over ${over}: every tool without arguments answers`, async () => {
    for (const tool of tools) assert.ok((await call(tool.name, {})).content[0].text, tool.name);
  });
  await check(`TypeScript SDK over ${over}: errors are results, an unknown tool is a protocol error`, async () => {
    const missing = await call("read_note", { name: "no such note" });
    assert.ok(missing.isError);
    assert.equal(missing.content[0].text, "Note 'no such note' not found");
    await assert.rejects(call("no_such_tool", {}), { code: -32602 });
  });
  await check(`TypeScript SDK over ${over}: the context is a resource and a prompt`, async () => {
    const { contents } = await client.readResource({ uri: "obsidian-mcp://context" });
    assert.match(contents[0].text, /## Allowed tags/);
    const { messages } = await client.getPrompt({ name: "context" });
    assert.match(messages[0].content.text, /## Allowed tags/);
  });
  await check(`TypeScript SDK over ${over}: notes are listed, read and completed as resources`, async () => {
    const { resourceTemplates: [template] } = await client.listResourceTemplates();
    const path = { ref: { type: "ref/resource", uri: template.uriTemplate }, argument: { name: "path", value: "" } };
    assert.ok((await client.complete(path)).completion.values.length > 0);
    const notes = (await client.listResources()).resources.filter((resource) => resource.uri.startsWith("mcp-obsidian://"));
    assert.ok(notes.length > 0 && notes.length <= 10, `${notes.length} notes`);
    for (const note of notes) {
      const { contents: [content] } = await client.readResource({ uri: note.uri });
      assert.equal(content.text, readFileSync(join(vault, note.description.replace("Path: ", "")), "utf8"));
    }
    await assert.rejects(client.readResource({ uri: notes[0].uri + "x" }), { code: -32002 });
  });
  await check(`TypeScript SDK over ${over}: a subscriber is notified of an edit by another program`, async () => {
    await call("create_note", { name: "checks/Watched", content: "old" });
    const uri = (await client.listResources()).resources.find((resource) => resource.title === "Watched").uri;
    await client.subscribeResource({ uri });
    const updated = new Promise((resolve) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)));
    writeFileSync(join(vault, "checks/Watched.md"), "new");
    assert.equal(await updated, uri);
    assert.equal((await client.readResource({ uri })).contents[0].text, "new");
    await client.unsubscribeResource({ uri });
    const listed = new Promise((resolve) => client.setNotificationHandler(ResourceListChangedNotificationSchema, resolve));
    await call("delete_note", { name: "Watched" });
    await listed;
  });
  await check(`TypeScript SDK over ${over}: prompts are listed, and their arguments completed`, async () => {
    const { prompts } = await client.listPrompts();
    for (const name of ["context", "devlog", "adr", "review", "gather"]) assert.ok(prompts.some((prompt) => prompt.name === name), name);
    const tag = { ref: { type: "ref/prompt", name: "gather" }, argument: { name: "tag", value: "" } };
    const { completion } = await client.complete(tag);
    const { messages } = await client.getPrompt({ name: "gather", arguments: { tag: completion.values[0] } });
    assert.ok(messages[0].content.text.includes(completion.values[0]));
  });
  await check(`TypeScript SDK over ${over}: a note in Prompts/ is a prompt with an argument`, async () => {
    await call("create_note", { name: "Prompts/Check greeting", content: "Greet {{note}}." });
    const { prompts } = await client.listPrompts();
    const { title, arguments: [argument] } = prompts.find((prompt) => prompt.name === "check-greeting");
    assert.deepEqual([title, argument.name], ["Check greeting", "note"]);
    const { completion } = await client.complete({ ref: { type: "ref/prompt", name: "check-greeting" }, argument: { name: "note", value: "Check gr" } });
    assert.deepEqual(completion.values, ["Check greeting"]);
    const { messages: [message] } = await client.getPrompt({ name: "check-greeting", arguments: { note: "{{note}}" } });
    assert.deepEqual([message.role, message.content.text], ["user", "Greet {{note}}."]);
    await call("delete_note", { name: "Check greeting" });
  });
  await client.close();
}

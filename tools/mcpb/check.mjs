// Tests an unpacked bundle. The packer's own code, which Claude Desktop uses too, turns the manifest into a command.
// Usage: node check.mjs BUNDLE WORK, where WORK contains the folder "my vault"
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb/node";
import { check, checks } from "../clients/checks.mjs";
import { withServer } from "../clients/bundle.mjs";

const [bundle, work] = process.argv.slice(2);
const vault = join(work, "my vault");
const home = join(work, "home");
const manifest = JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8"));

// ask starts the server with these fields filled in, and calls body with a client.
async function ask(userConfig, body) {
  const config = await getMcpConfigForManifest({ manifest, extensionPath: bundle, systemDirs: {}, userConfig, pathSeparator: "/" });
  await withServer(config, home, body);
}

async function answers(client) {
  const { structuredContent } = await client.callTool({ name: "list_notes", arguments: { folder: "Projects" } });
  assert.deepEqual(structuredContent.names, ["Allotment 2027", "Kitchen shelf", "Launch", "Tideline"]);
}

await check("bundle: only the vault is required, and the tools match the manifest", () =>
  ask({ vault }, async (client) => {
    await answers(client);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), manifest.tools.map((tool) => tool.name).sort());
  }));
await check("bundle: read only offers no tool that writes", () =>
  ask({ vault, read_only: true, toolsets: "notes, find" }, async (client) => {
    await answers(client);
    const { tools } = await client.listTools();
    assert.ok(tools.some((tool) => tool.name === "find_notes") && tools.every((tool) => tool.annotations.readOnlyHint));
  }));
await check("bundle: empty fields mean their defaults", () => ask({ vault, read_only: "", toolsets: "" }, answers));
await check("bundle: unreplaced placeholders mean the defaults", () =>
  ask({ vault, read_only: "${user_config.read_only}", toolsets: "${user_config.toolsets}" }, answers));
await check("bundle: fields that are not filled in do not override the user's config file", async () => {
  mkdirSync(join(home, ".config"), { recursive: true });
  writeFileSync(join(home, ".config", "obsidian-mcp.yaml"), "read_only: true\ntoolsets: notes\n");
  for (const fields of [{}, { read_only: "", toolsets: "" }]) {
    await ask({ vault, ...fields }, async (client) => {
      const { tools } = await client.listTools();
      assert.ok(tools.length > 0 && tools.every((tool) => tool.annotations.readOnlyHint && tool.name !== "find_notes"));
    });
  }
});
await check("bundle: without a vault the client does not start the server", async () => {
  assert.equal(await getMcpConfigForManifest({ manifest, extensionPath: bundle, systemDirs: {}, userConfig: {}, pathSeparator: "/" }), undefined);
});
console.log(`${checks} passed, 0 failed`);

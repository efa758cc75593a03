// Has a real MCP client ask the server a few things, and shows what happens.
// Usage: node demo.mjs BINARY VAULT STATE
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [binary, vault, state] = process.argv.slice(2);
const env = { ...process.env, OBSIDIAN_VAULT_PATH: vault, OBSIDIAN_MCP_STATE_DIR: state, LOG_LEVEL: "warn" };
const colour = process.stdout.isTTY ? (code, text) => `\x1b[${code}m${text}\x1b[0m` : (_, text) => text;

const client = new Client({ name: "demo", version: "1" });
const begun = performance.now();
await client.connect(new StdioClientTransport({ command: binary, args: ["stdio"], env }));
const { tools } = await client.listTools();
console.log(colour(1, `${client.getServerVersion().name}: ${tools.length} tools, ready after ${Math.round(performance.now() - begun)} ms\n`));

async function ask(question, name, args) {
  const begun = performance.now();
  const result = await client.callTool({ name, arguments: args });
  const took = (performance.now() - begun).toFixed(1);
  console.log(colour(36, `${question}`));
  console.log(colour(2, `  ${name} ${JSON.stringify(args)}  ${took} ms`));
  console.log(result.content[0].text.trimEnd().replace(/^/gm, "  ") + "\n");
}

await ask("Which notes are there? (the first answer also tells the assistant about the vault)", "list_notes", {});
await ask("What links to the launch?", "backlinks_search", { name: "Launch" });
await ask("What are its properties?", "get_note_metadata", { name: "Launch" });
await ask("Note something in its log.", "append_section", { name: "Launch", section: "Log", text: "- the demo was here" });
await ask("Move it, with every link to it.", "rename_note", { old_name: "Launch", new_name: "Archive/Launch 2026" });
await ask("A tag that the vault does not know?", "add_tag", { name: "Launch 2026", tag: "brand-new" });
console.log(colour(1, "The note as it is now (comments, 007 and all):"));
console.log(readFileSync(join(vault, "Archive/Launch 2026.md"), "utf8").replace(/^/gm, "  "));
await client.close();

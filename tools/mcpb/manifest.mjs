// Writes the manifest of a bundle. The program itself lists the tools, so that the list is always current: OFFERED contains
// a server's answers, the last of which is to tools/list.
// Usage: obsidian-mcp tools --json | node manifest.mjs VERSION SYSTEM OFFERED > manifest.json
import { readFileSync } from "node:fs";

const [version, system, answers] = process.argv.slice(2);
const program = `server/obsidian-mcp${system === "win32" ? ".exe" : ""}`;
const all = JSON.parse(readFileSync(0, "utf8"));
const offered = JSON.parse(readFileSync(answers, "utf8").trim().split("\n").at(-1)).result.tools.map((tool) => tool.name);
const tools = all.filter((tool) => offered.includes(tool.name)).map(({ name, description }) => ({ name, description }));
if (tools.length === 0) throw new Error("the server offers no tools");
const toolsets = [...new Set(all.map((tool) => tool.toolset))];

const manifest = {
  manifest_version: "0.3",
  name: "obsidian-mcp",
  display_name: "Obsidian notes",
  version,
  description: "Read, search, link and edit an Obsidian vault, with Obsidian closed. Every change can be undone.",
  long_description: [
    "Claude works with the notes in your Obsidian vault: it searches them, follows links and tags, writes and edits, and renames a note together with all links to it.",
    "An edit changes only the bytes that it has to. Deleted notes go to the vault's `.trash`, and every change is recorded first and can be undone.",
    "Only what Claude reads leaves this machine. The only thing to set up is the folder of your vault.",
  ].join("\n\n"),
  author: { name: "obsidian-mcp" },
  license: "MIT",
  keywords: ["obsidian", "notes", "markdown", "vault", "search"],
  icon: "icon.png",
  server: {
    type: "binary",
    entry_point: program,
    mcp_config: {
      command: "${__dirname}/" + program,
      args: ["stdio"],
      env: {
        OBSIDIAN_VAULT_PATH: "${user_config.vault}",
        OBSIDIAN_MCP_READ_ONLY: "${user_config.read_only}",
        OBSIDIAN_MCP_TOOLSETS: "${user_config.toolsets}",
      },
    },
  },
  tools,
  prompts_generated: true,
  compatibility: { platforms: [system] },
  // No optional field has a default, because it would override the user's config file. For a field without a value
  // Claude Desktop passes the placeholder itself, which the program treats as not set.
  user_config: {
    vault: {
      type: "directory",
      title: "Vault",
      description: "The folder of your Obsidian vault: the one that contains your notes.",
      required: true,
    },
    read_only: {
      type: "boolean",
      title: "Read only",
      description: "Offer no tool that changes a note.",
    },
    toolsets: {
      type: "string",
      title: "Toolsets",
      description: `Which groups of tools are offered, separated by commas: ${toolsets.join(", ")}; "default" suits most people, and "-name" leaves one out.`,
    },
  },
};

console.log(JSON.stringify(manifest, null, 2));

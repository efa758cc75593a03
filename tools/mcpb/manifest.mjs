// Writes the manifest of a bundle. The tools are those that the program names
// itself, so that the list is never stale.
// Usage: obsidian-mcp tools --json | node manifest.mjs VERSION SYSTEM > manifest.json
import { readFileSync } from "node:fs";

const [version, system] = process.argv.slice(2);
const program = `server/obsidian-mcp${system === "win32" ? ".exe" : ""}`;
const offered = JSON.parse(readFileSync(0, "utf8"));
const tools = offered.map(({ name, description }) => ({ name, description }));
const toolsets = [...new Set(offered.map((one) => one.toolset))];

const manifest = {
  manifest_version: "0.3",
  name: "obsidian-mcp",
  display_name: "Obsidian notes",
  version,
  description: "Read, search, link and edit an Obsidian vault, with Obsidian closed. Every change can be taken back.",
  long_description: [
    "Claude works with the notes in your Obsidian vault: it finds them by what they say, follows links and tags, writes and edits, and renames a note with every link to it.",
    "An edit touches the bytes it must and no others. Deleted notes go to the vault's `.trash`, and every change is recorded first, so that it can be undone.",
    "Nothing leaves this machine but what Claude reads. Choose the vault's folder, and that is all.",
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
  // No optional field has a default: it would win over the user's config file.
  // Claude Desktop hands on the name of a field that has no value as if that were
  // the value, and the program takes that for none.
  user_config: {
    vault: {
      type: "directory",
      title: "Vault",
      description: "The folder of your Obsidian vault: the one that holds your notes.",
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
      description: `Which groups of tools are offered, separated by commas: ${toolsets.join(", ")}; "default" is all that most people want, and "-name" takes one out.`,
    },
  },
};

console.log(JSON.stringify(manifest, null, 2));

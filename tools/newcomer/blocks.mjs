// Tests every configuration block of docs/CLIENTS.md with the program, as its client would use it.
// Usage: node blocks.mjs DOCUMENT BINARY VAULT WORK quick|all
import assert from "node:assert/strict";
import { cpSync, mkdtempSync } from "node:fs";
import { join, resolve } from "node:path";
import { blocksOf, commandsOf } from "./markdown.mjs";
import { entriesOf } from "./entries.mjs";
import { tryEntry } from "./try.mjs";
import { inClaudeCode, inCodex, inGemini } from "./programs.mjs";
import { startDatabase } from "./database.mjs";
import { startServer } from "./server.mjs";

const [file, binary, example, work, mode] = process.argv.slice(2);
const vault = join(mkdtempSync(join(work, "vault-")), "vault");
cpSync(resolve(example), vault, { recursive: true });
const database = await startDatabase(binary, vault, work);
const server = await startServer(binary, vault, work);

// filled replaces the placeholders of the document with real paths. The package on npm contains the same program;
// tools/release/proof starts it with npx.
const filled = (text) => text
  .replace(/"npx",\s*"args": \[\s*"-y",\s*"@obsidian-mcp\/server"\s*\]/, JSON.stringify(binary))
  .replace(/(['"])npx\1\nargs = \[\s*(['"])-y\2,\s*(['"])@obsidian-mcp\/server\3\s*\]/, JSON.stringify(binary))
  .replaceAll("npx -y @obsidian-mcp/server", binary)
  .replaceAll("/path/to/obsidian-mcp", binary).replaceAll("/path/to/vault", vault)
  .replaceAll("/path/to/password", database.passwordFile).replaceAll("/path/to/passphrase", database.passphraseFile)
  .replaceAll("https://couch.example.com", database.url).replaceAll("http://127.0.0.1:1065", server.base);

let tried = 0;
async function attempt(name, run) {
  await run();
  tried++;
  console.log(`ok  ${name}`);
}

try {
  for (const block of blocksOf(file)) {
    const entries = entriesOf({ ...block, text: filled(block.text) });
    for (const entry of entries) {
      await attempt(`${block.heading}: ${entry.name} (${block.language}${entry.url ? ", by URL" : ""})`, () => tryEntry(entry, work));
    }
    if (block.language !== "sh") continue;
    for (const command of commandsOf({ text: filled(block.text) })) {
      if (command.startsWith("claude mcp add")) {
        await attempt(`${block.heading}: ${command.replaceAll(work, "…")}`, () => inClaudeCode(command, work));
      }
    }
  }
  const codex = blocksOf(file).find((block) => block.language === "toml");
  const gemini = blocksOf(file).find((block) => block.heading.startsWith("Gemini"));
  assert.ok(codex && gemini, `${file} lacks a block for Codex or Gemini CLI`);
  if (mode === "all") {
    await attempt("Codex CLI itself reads its block", () => inCodex(filled(codex.text), work));
    await attempt("Gemini CLI itself connects with its block", () => inGemini(filled(gemini.text), work));
  }
  assert.ok(tried >= 8, `only ${tried} blocks were tried`);
} finally {
  await server.stop();
  await database.stop();
}
console.log(`${tried} blocks work`);

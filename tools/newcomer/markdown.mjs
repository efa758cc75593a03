// Reads the code blocks of a Markdown document, each with the heading above it.
// Usage: node markdown.mjs commands README.md   prints the commands of the first shell block
import { readFileSync } from "node:fs";

export function blocksOf(file) {
  const blocks = [];
  let heading = "";
  let open;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const fence = /^\s*```(\w*)\s*$/.exec(line);
    if (open && fence) {
      blocks.push(open);
      open = undefined;
    } else if (open) {
      open.text += line + "\n";
    } else if (fence) {
      open = { language: fence[1], heading, text: "" };
    } else {
      heading = /^(?:#+ |<summary>)([^<]*)/.exec(line)?.[1] ?? heading; // the name of a folded part counts as a heading
    }
  }
  return blocks;
}

// commandsOf returns a shell block's commands without their comments.
export const commandsOf = (block) =>
  block.text.replaceAll("\\\n", " ").split("\n").map((line) => line.replace(/\s+#.*$/, "").trim()).filter(Boolean);

if (process.argv[2] === "commands") {
  console.log(commandsOf(blocksOf(process.argv[3]).find((block) => block.language === "sh")).join("\n"));
}

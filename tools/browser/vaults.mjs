// Makes the vaults for the servers: the example, a large one, and others from given notes.
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const example = fileURLToPath(new URL("../../examples/vault", import.meta.url));

// exampleVault returns a new copy of the example vault.
export function exampleVault() {
  const copy = join(mkdtempSync(join(process.env.WORK, "vault-")), "Example");
  cpSync(example, copy, { recursive: true });
  return copy;
}

// write creates a vault with these notes, by path.
export function write(name, notes) {
  const vault = join(mkdtempSync(join(process.env.WORK, "vault-")), name);
  for (const [path, text] of Object.entries(notes)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  return vault;
}

// large is the number of notes in the large vault; hubLinks of them link to its hub.
export const large = 10_000, hubLinks = 5000;

// largeVault creates a vault with a hub that half of the notes link to, folders of a hundred notes, and a word that only
// one note contains.
export function largeVault() {
  const words = "harbour tide ledger lantern meadow signal copper orchard winter quarry thimble anchor river gravel window".split(" ");
  const word = (i) => words[i % words.length];
  const place = (i) => `${word(i / 100 | 0)} ${String(i / 100 | 0).padStart(3, "0")}/${word(i * 7)} ${i}`;
  const notes = { "Hub.md": "# Hub\n\nEverything meets here. See [[" + place(3) + "]].\n" };
  for (let i = 1; i < large; i++) {
    const links = [`[[${place(1 + (i * 31) % (large - 1))}]]`, `[[${place(1 + (i * i) % 997)}]]`];
    if (i <= hubLinks) links.push("[[Hub]]");
    const text = Array.from({ length: 60 }, (_, at) => word(i * (at + 3) + at * at)).join(" ");
    notes[`${place(i)}.md`] = `---\ntags: [area/${word(i * 3)}]\n---\n# ${word(i * 7)} ${i}\n\n${text}\n\n${links.join(" and ")}\n`;
  }
  notes[`${place(4321)}.md`] += "\nThe xylotheque stands here.\n";
  return write("Large", notes);
}

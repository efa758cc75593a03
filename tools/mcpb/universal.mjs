// Joins the macOS programs for both processors into one that runs on either. Each keeps its bytes, and with them the
// signature that the compiler made.
// Usage: node universal.mjs OUT AMD64 ARM64
import { readFileSync, writeFileSync } from "node:fs";

const [out, ...names] = process.argv.slice(2);
const align = 14; // as a power of two: 16 KB, a multiple of the page size of either processor
const page = 1 << align;
const programs = names.map((name) => readFileSync(name));
const header = Buffer.alloc(8 + 20 * programs.length);
header.writeUInt32BE(0xcafebabe, 0);
header.writeUInt32BE(programs.length, 4);

const parts = [header];
let end = header.length;
programs.forEach((program, index) => {
  if (program.readUInt32LE(0) !== 0xfeedfacf) throw new Error(`${names[index]} is not a program for macOS`);
  const start = Math.ceil(end / page) * page;
  const entry = [program.readUInt32LE(4), program.readUInt32LE(8), start, program.length, align]; // processor, its kind, offset, size, alignment
  entry.forEach((value, field) => header.writeUInt32BE(value, 8 + 20 * index + 4 * field));
  parts.push(Buffer.alloc(start - end), program);
  end = start + program.length;
});
writeFileSync(out, Buffer.concat(parts), { mode: 0o755 });

// Draws the bundle's icon: a cut stone whose edges are links between notes.
// Usage: node icon.mjs > icon.png
import { crc32, deflateSync } from "node:zlib";

const size = 512, finer = 3; // each pixel is the mean of finer × finer points
const ground = [24, 27, 48], stone = [[116, 92, 214], [146, 122, 240], [92, 72, 184], [170, 150, 250]], line = [236, 230, 255];
const corners = { top: [256, 84], left: [112, 212], right: [400, 212], middle: [256, 236], foot: [256, 436] };
const faces = [["top", "left", "middle"], ["top", "right", "middle"], ["left", "middle", "foot"], ["right", "middle", "foot"]];
const links = [["top", "left"], ["top", "right"], ["left", "foot"], ["right", "foot"], ["top", "middle"], ["left", "middle"], ["right", "middle"], ["middle", "foot"]];

// colour returns the colour at a point; undefined outside of the rounded square.
function colour(x, y) {
  const edge = Math.hypot(Math.max(Math.abs(x - 256) - 156, 0), Math.max(Math.abs(y - 256) - 156, 0));
  if (edge > 100) return undefined;
  for (const corner of Object.values(corners)) if (Math.hypot(x - corner[0], y - corner[1]) < 22) return line;
  for (const [from, to] of links) if (distance([x, y], corners[from], corners[to]) < 5) return line;
  const face = faces.findIndex((names) => inside([x, y], ...names.map((name) => corners[name])));
  return face < 0 ? ground : stone[face];
}

function distance([x, y], [ax, ay], [bx, by]) {
  const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2);
  const t = Math.max(0, Math.min(1, along));
  return Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay));
}

function inside([x, y], a, b, c) {
  const side = ([ax, ay], [bx, by]) => (x - bx) * (ay - by) - (ax - bx) * (y - by);
  const sides = [side(a, b), side(b, c), side(c, a)];
  return sides.every((value) => value >= 0) || sides.every((value) => value <= 0);
}

// pixel returns the mean colour of the points in a pixel, and the covered part of it.
function pixel(column, row) {
  const sum = [0, 0, 0];
  let covered = 0;
  for (let i = 0; i < finer * finer; i++) {
    const point = colour(column + ((i % finer) + 0.5) / finer, row + (Math.floor(i / finer) + 0.5) / finer);
    if (!point) continue;
    covered++;
    point.forEach((value, channel) => (sum[channel] += value));
  }
  return covered === 0 ? [0, 0, 0, 0] : [...sum.map((value) => Math.round(value / covered)), Math.round((255 * covered) / finer ** 2)];
}

// chunk returns a part of a PNG file: its length, its name and content, and their checksum.
function chunk(name, content) {
  const named = Buffer.concat([Buffer.from(name), content]), around = Buffer.alloc(8);
  around.writeUInt32BE(content.length, 0);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}

const header = Buffer.alloc(13);
header.writeUInt32BE(size, 0);
header.writeUInt32BE(size, 4);
header.set([8, 6], 8); // eight bits a channel; red, green, blue, cover
const rows = Array.from({ length: size }, (_, row) => [0, ...Array.from({ length: size }, (_, column) => pixel(column, row)).flat()]);
const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
process.stdout.write(Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.from(rows.flat()))), chunk("IEND", Buffer.alloc(0))]));

// The storybook: one page with a picture of every view, in every dress.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const dresses = ["light", "dark", "phone"];
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

// storybook writes index.html beside the pictures. Those that have no dress are
// views of their own.
export function storybook(folder) {
  const views = new Map();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".png")).sort()) {
    const [, name, dress] = /^(.*)-(light|dark|phone)\.png$/.exec(file) ?? [undefined, file.replace(/\.png$/, ""), ""];
    views.set(name, [...(views.get(name) ?? []), { file, dress }]);
  }
  const order = ({ dress }) => dresses.indexOf(dress);
  const section = ([name, pictures]) => `<section><h2>${escaped(name)}</h2>${pictures.sort((a, b) => order(a) - order(b)).map(({ file, dress }) =>
    `<figure><a href="${encodeURIComponent(file)}"><img src="${encodeURIComponent(file)}" alt="${escaped(`${name} ${dress}`)}" loading="lazy"></a><figcaption>${dress}</figcaption></figure>`).join("")}</section>`;
  writeFileSync(join(folder, "index.html"), `<!doctype html><html lang="en"><meta charset="utf-8"><title>Every view of the page</title>
<style>body{font:16px system-ui;margin:2rem;background:#eee}section{display:flex;flex-wrap:wrap;gap:1rem;align-items:start}h2{width:100%}figure{margin:0}img{max-height:30rem;max-width:40rem;background:#fff}</style>
<h1>Every view of the page</h1>${[...views].map(section).join("\n")}</html>\n`);
}

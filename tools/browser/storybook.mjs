// The storybook: one page with a screenshot of every view, in light, dark and on a phone.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const variants = ["light", "dark", "phone"];
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

// storybook writes index.html next to the screenshots. A screenshot without a variant gets its own section.
export function storybook(folder) {
  const views = new Map();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".png")).sort()) {
    const [, name, variant] = /^(.*)-(light|dark|phone)\.png$/.exec(file) ?? [undefined, file.replace(/\.png$/, ""), ""];
    views.set(name, [...(views.get(name) ?? []), { file, variant }]);
  }
  const order = ({ variant }) => variants.indexOf(variant);
  const section = ([name, pictures]) => `<section><h2>${escaped(name)}</h2>${pictures.sort((a, b) => order(a) - order(b)).map(({ file, variant }) =>
    `<figure><a href="${encodeURIComponent(file)}"><img src="${encodeURIComponent(file)}" alt="${escaped(`${name} ${variant}`)}" loading="lazy"></a><figcaption>${variant}</figcaption></figure>`).join("")}</section>`;
  writeFileSync(join(folder, "index.html"), `<!doctype html><html lang="en"><meta charset="utf-8"><title>Every view of the page</title>
<style>body{font:16px system-ui;margin:2rem;background:#eee}section{display:flex;flex-wrap:wrap;gap:1rem;align-items:start}h2{width:100%}figure{margin:0}img{max-height:30rem;max-width:40rem;background:#fff}</style>
<h1>Every view of the page</h1>${[...views].map(section).join("\n")}</html>\n`);
}

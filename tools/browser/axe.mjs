// Accessibility, judged by axe-core. It is put into the page by the browser's
// own debugger: the page's policy lets no other script in.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// violations lists what is wrong with a page; rules are those to ask for, all of
// the tags unless given.
export async function violations(page, rules) {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(source);
  const runOnly = rules ? { type: "rule", values: rules } : { type: "tag", values: tags };
  const found = await page.evaluate((only) => axe.run(document, { runOnly: only, resultTypes: ["violations"] }), runOnly);
  return found.violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 4).map((one) => `  ${one.html.slice(0, 160)}\n    ${(one.any[0] ?? one.all[0] ?? one.none[0])?.message ?? ""}`).join("\n")}`);
}

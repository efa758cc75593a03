// Checks accessibility with axe-core. The browser's debugger loads it into the page, because the page's policy allows no
// other script.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// violations lists the violations on a page. rules are the rules to check; by default all rules of the tags.
export async function violations(page, rules) {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(source);
  const runOnly = rules ? { type: "rule", values: rules } : { type: "tag", values: tags };
  const found = await page.evaluate((only) => axe.run(document, { runOnly: only, resultTypes: ["violations"] }), runOnly);
  return found.violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 4).map((element) => `  ${element.html.slice(0, 160)}\n    ${(element.any[0] ?? element.all[0] ?? element.none[0])?.message ?? ""}`).join("\n")}`);
}

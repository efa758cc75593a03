// Tests the queries of the vault: in notes, as bases, and in the box to try one.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const dashboard = '# Dashboard\n\n```dataview\nTABLE file.tags AS tags FROM "Projects" SORT file.name\n```\n\n```dataview\nTABLE nonsense(\n```\n';
const base = 'filters: file.inFolder("Projects")\nviews:\n  - type: table\n    order: [file.ext]\n';

export async function query(group) {
  const server = await group.server();
  writeFileSync(join(server.vault, "Dashboard.md"), dashboard);
  writeFileSync(join(server.vault, "Projects.base"), base);
  for (const scripts of [true, false]) {
    const visitor = await group.visitor(server.base, { scripts }), { page } = visitor;
    const how = scripts ? "" : ", without scripts";
    await group.check(`a note shows the results of its query blocks${how}`, page, async () => {
      await visitor.goto("/note?path=Dashboard.md");
      const rows = page.locator("article.md .result table tbody tr");
      assert.ok(await rows.count() >= 2, `${await rows.count()} rows`);
      assert.equal(await page.locator("article.md .result").count(), 2, "a query that cannot be read says why");
      const first = rows.first().getByRole("link").first();
      const name = await first.innerText();
      await first.click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
    });
    await group.check(`a base shows its rows and its source${how}`, page, async () => {
      await visitor.goto("/note?path=Projects.base");
      assert.ok(await page.locator("article.md table tbody tr").count() >= 2);
      await page.getByText("Source").click();
      await page.getByText("file.inFolder").waitFor();
    });
    await group.check(`a query can be tried, and what is wrong with it is said${how}`, page, async () => {
      await visitor.goto("/query");
      await page.getByLabel("A query").fill('LIST FROM "Projects" WHERE file.name = "Launch"');
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("status").filter({ hasText: "1 result" }).waitFor();
      assert.equal(await page.locator("article.md li a").innerText(), "Launch");
      visitor.awaits(422, "/query");
      await page.getByLabel("A query").fill("LIST FROM");
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("alert").waitFor();
      assert.equal(await page.getByLabel("A query").inputValue(), "LIST FROM");
    });
  }
}

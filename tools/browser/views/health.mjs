// Tests the view of what may need care in a vault.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export async function health(group) {
  const server = await group.server();
  writeFileSync(join(server.vault, "Forgotten.md"), "Leads to [[Nowhere at all]], and names Tideline without a link.\n");
  for (const scripts of [true, false]) {
    const visitor = await group.visitor(server.base, { scripts }), { page } = visitor;
    await group.check(`what may need care is listed, with links into the notes${scripts ? "" : ", without scripts"}`, page, async () => {
      await visitor.goto("/health");
      for (const [part, text] of [["Broken links", "[[Nowhere at all]]"], ["Notes that nothing links to", "Forgotten.md"], ["Mentions without a link", "Tideline"]]) {
        const section = page.getByRole("region", { name: part });
        assert.ok(await section.getByRole("listitem").filter({ hasText: text }).count() >= 1, `${part} lacks ${text}`);
      }
      await page.getByRole("region", { name: "Broken links" }).getByRole("link", { name: "Forgotten.md" }).click();
      await page.getByRole("heading", { level: 1, name: "Forgotten" }).waitFor();
    });
  }
}

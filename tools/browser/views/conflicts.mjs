// Tests the page of conflicts: the versions side by side, the merge, and choosing.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleVault } from "../vaults.mjs";

// offered are settings with which a server offers the tools for conflicts.
export const offered = { OBSIDIAN_MCP_TOOLSETS: "default,sync" };

// conflicting is the example vault with copies as sync programs leave them.
export function conflicting() {
  const vault = exampleVault();
  const copy = (name, as, text) => writeFileSync(join(vault, as), readFileSync(join(vault, name), "utf8") + text);
  copy("Home.md", "Home.sync-conflict-20261116-101010-ABCDEFG.md", "\nAdded on the <b>phone</b>.\n");
  copy("Roadmap.md", "Roadmap (conflicted copy 2026-11-16).md", "\nAdded on the laptop.\n");
  return vault;
}

export async function conflicts(group) {
  const server = await group.server({ vault: conflicting(), settings: offered });
  const visitor = await group.visitor(server.base), { page } = visitor;
  const read = (name) => readFileSync(join(server.vault, name), "utf8");

  await group.check("conflicts are listed", page, async () => {
    await visitor.goto("/");
    await page.getByRole("link", { name: "Conflicts" }).click();
    assert.deepEqual(await page.locator(".changes .what > a").allInnerTexts(), ["Home.md", "Roadmap.md"]);
  });
  await group.check("the versions stand side by side, and markup in them is text", page, async () => {
    await page.getByRole("link", { name: "Home.md" }).click();
    await page.getByRole("heading", { name: /sync-conflict/ }).waitFor();
    await page.waitForLoadState("load"); // including the styles
    const [left, right] = await page.locator(".sides > section").evaluateAll((all) => all.map((side) => side.getBoundingClientRect()));
    assert.ok(right.left >= left.right && Math.abs(right.top - left.top) < 2, "two columns");
    assert.match((await page.locator(".sides .added").allInnerTexts()).join("\n"), /Added on the <b>phone<\/b>\./);
    assert.equal(await page.locator(".sides b").count(), 0);
  });
  await group.check("the merge is shown, and made", page, async () => {
    assert.match((await page.getByLabel("What the merge changes").locator(".added").allInnerTexts()).join("\n"), /\+Added on the <b>phone/);
    await page.getByRole("button", { name: "Merge the versions" }).click();
    await page.getByRole("status").filter({ hasText: "is resolved" }).waitFor();
    assert.ok(read("Home.md").endsWith("Added on the <b>phone</b>.\n"));
    assert.ok(!existsSync(join(server.vault, "Home.sync-conflict-20261116-101010-ABCDEFG.md")));
    assert.deepEqual(await page.locator(".changes .what > a").allInnerTexts(), ["Roadmap.md"]);
  });
  await group.check("a merge can be undone, and then there is a conflict again", page, async () => {
    await page.getByRole("link", { name: "The changes" }).click();
    await page.locator(".changes button").first().click();
    await page.getByRole("status").filter({ hasText: "was undone" }).waitFor();
    assert.ok(!read("Home.md").includes("phone"));
    assert.ok(existsSync(join(server.vault, "Home.sync-conflict-20261116-101010-ABCDEFG.md")));
  });
  await group.check("one version can be kept, without scripts too", page, async () => {
    const plain = await group.visitor(server.base, { scripts: false });
    await plain.goto("/conflict?note=Roadmap.md");
    const before = read("Roadmap.md");
    await plain.page.getByRole("button", { name: "Keep this version" }).first().click();
    await plain.page.getByRole("status").filter({ hasText: "is resolved" }).waitFor();
    assert.equal(read("Roadmap.md"), before);
    assert.ok(existsSync(join(server.vault, ".trash/Roadmap (conflicted copy 2026-11-16).md")));
  });
  await group.check("a page that is out of date resolves nothing", page, async () => {
    await visitor.goto("/conflict?note=Home.md");
    writeFileSync(join(server.vault, "Home.md"), read("Home.md") + "\nwritten meanwhile\n");
    visitor.awaits(409, "/conflict");
    await page.getByRole("button", { name: "Merge the versions" }).click();
    await page.getByRole("alert").filter({ hasText: "has changed since" }).waitFor();
    assert.ok(!read("Home.md").includes("phone"));
  });
}

// Makes the screenshot for the README: a search, and next to it a note that was found.
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { desktop } from "../browser.mjs";
import { exampleVault } from "../vaults.mjs";

export async function readme(group) {
  const vault = exampleVault();
  aged(vault);
  const server = await group.server({ vault });
  const visitor = await group.visitor(server.base, { viewport: desktop }), { page } = visitor;
  const picture = (name) => page.screenshot({ path: join(group.pictures, `${name}.png`) });
  await group.check("the screenshot for the README shows a search and a note", page, async () => {
    await visitor.goto("/search?q=rehearse+rollback");
    await page.locator("a.hit").filter({ hasText: "Launch readiness" }).click();
    await page.locator("#preview article").waitFor();
    await picture("readme");
    await visitor.goto("/graph?note=Launch&depth=2");
    await page.locator("a.node").first().waitFor();
    await picture("readme-graph");
  });
}

// aged sets the times of a vault's files, as if the vault had been in use for a while.
function aged(vault) {
  for (const [at, name] of readdirSync(vault, { recursive: true }).entries()) {
    const time = Date.now() / 1000 - 3600 * (5 + (at * 37) % 400);
    utimesSync(join(vault, name), time, time);
  }
}

// The picture for the README: a search, and beside it a note that was found.
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
  await group.check("a search and a note are photographed for the README", page, async () => {
    await visitor.goto("/search?q=rehearse+rollback");
    await page.locator("a.hit").filter({ hasText: "Launch readiness" }).click();
    await page.locator("#preview article").waitFor();
    await picture("readme");
    await visitor.goto("/graph?note=Launch&depth=2");
    await page.locator("a.node").first().waitFor();
    await picture("readme-graph");
  });
}

// aged makes a vault as old as one that is in use.
function aged(vault) {
  for (const [at, name] of readdirSync(vault, { recursive: true }).entries()) {
    const time = Date.now() / 1000 - 3600 * (5 + (at * 37) % 400);
    utimesSync(join(vault, name), time, time);
  }
}

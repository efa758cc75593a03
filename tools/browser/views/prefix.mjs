// Tests the page behind a proxy that serves it below a path: every link, form and asset stays below it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { proxy } from "../proxy.mjs";
import { logIn, owner } from "./login.mjs";

export async function prefix(group) {
  const front = await proxy("/notes");
  group.until(front.stop);
  const server = await group.server({ settings: { OBSIDIAN_MCP_TOKEN: owner, OBSIDIAN_MCP_PUBLIC_URL: front.url } });
  front.to(server.base);
  const visitor = await group.visitor(front.url), { page } = visitor;
  const below = async () => assert.ok(new URL(page.url()).pathname.startsWith("/notes/"), page.url());

  await group.check("the login leads to the requested page", page, async () => {
    await logIn(visitor, owner, "/tools/create_note");
    assert.equal(new URL(page.url()).pathname, "/notes/tools/create_note");
    const [cookie] = await visitor.context.cookies();
    assert.equal(cookie.path, "/notes/");
  });
  await group.check("a tool runs", page, async () => {
    await page.locator("#field-name").fill("Below");
    await page.locator("#field-content").fill("text");
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.locator("#answer").waitFor();
    assert.ok(existsSync(join(server.vault, "Below.md")));
  });
  await group.check("an undo works", page, async () => {
    await visitor.goto("/");
    await page.locator(".changes button").first().click();
    await page.getByRole("status").filter({ hasText: "was undone" }).waitFor();
    await below();
    assert.ok(!existsSync(join(server.vault, "Below.md")));
  });
  await group.check("search, preview and graph work, within the page and after a reload", page, async () => {
    await visitor.goto("/search");
    await page.getByRole("searchbox").pressSequentially("tide");
    await page.getByRole("link", { name: /Tides in one page/ }).first().click();
    await page.getByRole("link", { name: "Graph" }).last().waitFor();
    await below();
    await page.reload();
    await visitor.goto("/graph?note=Launch");
    await page.locator("svg a").first().waitFor();
    await visitor.goto("/note?path=Launch%20board.canvas");
    await page.locator("main img").first().scrollIntoViewIfNeeded();
    await page.waitForFunction(() => [...document.querySelectorAll("main img")].some((element) => element.complete && element.naturalWidth > 0));
  });
  await group.check("the blocks for clients name the public address", page, async () => {
    await visitor.goto("/connect");
    assert.match(await page.locator("main").innerText(), new RegExp(`${front.url}/mcp`));
  });
  await group.check("every link, form and asset of every page is below the path", page, async () => {
    for (const path of ["/", "/search?q=tide", "/note?path=Home.md", "/graph?note=Launch", "/changes", "/tools", "/tools/read_note", "/connect", "/livesync", "/access"]) {
      await visitor.goto(path);
      const addresses = await page.locator("[href],[src],[action],[hx-get],[hx-post]").evaluateAll((all) =>
        all.flatMap((element) => ["href", "src", "action", "hx-get", "hx-post"].map((name) => element.getAttribute(name)).filter(Boolean)));
      assert.ok(addresses.length > 5);
      for (const address of addresses) assert.match(address, /^(\/notes\/|#|\?|https?:|mailto:|obsidian:)/, `${path} links to ${address}`);
    }
  });
  await group.check("logging out stays below the path", page, async () => {
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").waitFor();
    await below();
    assert.deepEqual(front.strays, [], "nothing was requested above the path");
  });
}

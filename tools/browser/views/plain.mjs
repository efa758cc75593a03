// Tests that everything works without scripts.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { couchdb, login as database } from "../couchdb.mjs";
import { logIn, owner } from "./login.mjs";

export async function plain(group) {
  const server = await group.server({ settings: { OBSIDIAN_MCP_TOKEN: owner, OBSIDIAN_MCP_CONFIRM_OVER: "3" } });
  const visitor = await group.visitor(server.base, { scripts: false }), { page } = visitor;
  await group.check("logging in", page, () => logIn(visitor, owner, "/search"));
  await group.check("searching", page, async () => {
    await page.getByRole("searchbox").fill("rollback");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=rollback/);
    await page.locator("mark").first().waitFor();
  });
  await group.check("reading what was found", page, async () => {
    await visitor.goto("/search?q=Kitchen+shelf");
    await page.getByRole("link", { name: /Kitchen shelf/ }).first().click();
    await page.waitForURL(/\/note\?/);
    await page.getByRole("heading", { name: "Kitchen shelf" }).first().waitFor();
  });
  await group.check("looking at the graph", page, async () => {
    await visitor.goto("/graph?note=Launch");
    assert.ok(await page.locator("main svg a").count() > 5, "a picture with links");
    const box = await page.locator("main svg").first().boundingBox();
    assert.ok(box.width > 300 && box.height > 200, JSON.stringify(box));
    await page.locator("main svg").getByRole("link", { name: /Tideline/ }).first().click();
    await page.waitForURL(/Tideline/);
  });
  await group.check("running a tool, with a confirmation", page, async () => {
    await visitor.goto("/tools/rename_note");
    await page.locator("#field-old_name").fill("Launch");
    await page.locator("#field-new_name").fill("Archive/Landed");
    visitor.awaits(422, "/tools/rename_note");
    await page.getByRole("button", { name: /^Run/ }).click();
    assert.equal(await page.locator("#field-old_name").inputValue(), "Launch", "the entered text stays");
    await page.getByRole("button", { name: "Yes, go on" }).click();
    await page.locator("#answer").waitFor();
    assert.ok(existsSync(join(server.vault, "Archive/Landed.md")));
  });
  await group.check("undoing it", page, async () => {
    await visitor.goto("/changes");
    visitor.awaits(422, "/undo");
    await page.locator(".changes button").first().click();
    await page.getByRole("button", { name: "Yes, undo it" }).click();
    await page.getByRole("status").filter({ hasText: "was undone" }).waitFor();
    assert.ok(existsSync(join(server.vault, "Projects/Launch.md")));
  });
  await group.check("testing a LiveSync connection", page, async () => {
    const live = await couchdb();
    group.until(live.stop);
    await visitor.goto("/livesync");
    for (const [name, value] of Object.entries({ url: live.url, database: "notes", ...database })) await page.locator(`#${name}`).fill(value);
    await page.getByRole("button", { name: "Test the connection" }).click();
    await page.locator("#checks li").first().waitFor();
    const marks = await page.locator("#checks .mark").allInnerTexts();
    assert.ok(marks.length > 1 && marks.every((mark) => mark === "ok"), await page.locator("#checks").innerText());
    assert.equal(await page.locator("#password").inputValue(), "", "the secrets are not sent back");
    await visitor.goto("/livesync");
    for (const [name, value] of Object.entries({ link: await live.setupLink("pw"), link_passphrase: "pw" })) await page.locator(`#${name}`).fill(value);
    await page.getByRole("button", { name: "Test the connection" }).click();
    await page.locator("#checks li").filter({ hasText: "its settings are those of the database" }).waitFor();
    assert.equal(await page.locator("#link").inputValue(), "", "the link is not sent back");
  });
  await group.check("no button needs a script", page, async () => {
    await visitor.goto("/connect");
    for (const button of await page.locator("button.copy").all()) assert.ok(!(await button.isVisible()), "copy buttons are hidden");
  });
  await group.check("logging out", page, async () => {
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").waitFor();
  });
}

// Tests the overview: what it says about the vault and the server, that it updates itself without disturbing the reader,
// and that changes can be undone there.
import assert from "node:assert/strict";
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// fact returns what the overview says under a heading.
export function fact(page, name) {
  return page.locator("dl.facts div").filter({ has: page.locator(`dt:text-is("${name}")`) }).locator("dd");
}

export async function overview(group) {
  const server = await group.server({ settings: { OBSIDIAN_MCP_CONFIRM_OVER: "3" } });
  const client = await group.client(server.base);
  const visitor = await group.visitor(server.base), { page } = visitor;
  const note = (path) => readFileSync(join(server.vault, path), "utf8");
  await page.clock.install();
  await visitor.goto("/");

  await group.check("the overview names the vault and its size", page, async () => {
    const notes = readdirSync(server.vault, { recursive: true }).filter((name) => name.endsWith(".md")).length;
    assert.match(await fact(page, "Index").innerText(), new RegExp(`^${notes} notes`));
    assert.match(await fact(page, "State").innerText(), /ready/);
    assert.equal(await fact(page, "Store").innerText(), "folder");
    assert.equal(await fact(page, "Location").innerText(), server.vault);
    assert.match(await fact(page, "Started").innerText(), /just now|seconds ago/);
    assert.match(await page.locator(".empty").innerText(), /Nothing has changed yet/);
  });

  await client.call("read_note", { name: "Home" });
  await client.call("read_note", { name: "no such note" });
  await client.call("append_note", { name: "Home", text: "a line by the client" });
  await group.check("a client's calls appear in the plots and the list of changes", page, async () => {
    const refreshed = page.waitForResponse((answer) => new URL(answer.url()).pathname === "/now");
    await page.clock.runFor(5100);
    await refreshed;
    await page.getByRole("img", { name: /Calls a minute: 3 calls in the last hour, 1 of them failed/ }).waitFor();
    const bar = page.getByRole("img", { name: /Calls a minute/ }).locator("rect");
    assert.equal(await bar.count(), 2, "one bar, and the part of it that failed");
    assert.ok((await bar.first().boundingBox()).height > (await bar.last().boundingBox()).height, "the failed part is smaller");
    assert.match(await page.getByRole("img", { name: /Time of a call/ }).getAttribute("aria-label"), /median was .+s/);
    assert.equal(await fact(page, "Sessions").innerText(), "1");
    assert.match(await page.locator(".changes li").innerText(), /Home[^]*browser check[^]*append_note/);
  });
  await group.check("the list does not change while a button in it has the focus", page, async () => {
    const listed = () => visitor.requests.filter((url) => url.includes("/recent")).length;
    const before = listed();
    await page.locator(".changes button").focus();
    await client.call("append_note", { name: "Notes/Checklists", text: "meanwhile" });
    await page.clock.runFor(11_000);
    assert.equal(listed(), before, "the list is not requested");
    assert.equal(await page.locator(".changes li").count(), 1, "the list has not changed");
    assert.ok(await page.locator(".changes button").evaluate((button) => button === document.activeElement), "the focus stays");
  });
  await group.check("a focus elsewhere survives a refresh", page, async () => {
    const link = page.getByRole("navigation").getByRole("link", { name: "Tools" });
    await link.focus();
    const refreshed = page.waitForResponse((answer) => new URL(answer.url()).pathname === "/now");
    await page.clock.runFor(5100);
    await refreshed;
    assert.ok(await link.evaluate((element) => element === document.activeElement));
  });
  await group.check("a change is undone from the overview, and the undo is listed", page, async () => {
    assert.ok(note("Home.md").includes("a line by the client"));
    await page.locator(".changes li").nth(1).waitFor(); // the later change is listed by now
    await page.locator(".changes li").filter({ hasText: "Home" }).getByRole("button").click();
    await page.getByRole("status").filter({ hasText: "was undone" }).waitFor();
    assert.match(new URL(page.url()).pathname, /^\/changes$/);
    assert.ok(!note("Home.md").includes("a line by the client"), "the note is as before");
    assert.equal(await page.locator(".changes li").count(), 3);
    assert.match(await page.locator(".changes li").first().innerText(), /undo_change/);
  });

  await group.check("an undo over a later edit is refused, and made when forced", page, async () => {
    await client.call("append_note", { name: "Roadmap", text: "to be undone" });
    await page.waitForTimeout(50);
    appendFileSync(join(server.vault, "Roadmap.md"), "\nedited in Obsidian\n");
    await visitor.goto("/");
    visitor.awaits(409, "/undo");
    await page.locator(".changes button").first().click();
    await page.getByRole("alert").waitFor();
    assert.ok(note("Roadmap.md").includes("to be undone"), "nothing has changed");
    await page.getByRole("button", { name: /anyway/ }).click();
    await page.getByRole("status").filter({ hasText: "was undone" }).waitFor();
    assert.ok(!note("Roadmap.md").includes("to be undone"));
  });
  await group.check("a large undo asks first", page, async () => {
    const rename = { old_name: "Launch", new_name: "Archive/Landed" };
    const asked = await client.call("rename_note", rename);
    const confirm = /confirm\W+([\w.-]{8,})/.exec(asked.content[0].text)?.[1] ?? asked._meta?.confirm;
    const renamed = await client.call("rename_note", { ...rename, confirm });
    assert.ok(!renamed.isError, JSON.stringify([asked, renamed]));
    await visitor.goto("/");
    visitor.awaits(422, "/undo");
    await page.locator(".changes button").first().click();
    await page.getByRole("alert").waitFor();
    assert.ok(existsSync(join(server.vault, "Archive/Landed.md")), "nothing has changed");
    await page.getByRole("button", { name: "Yes, undo it" }).click();
    await page.getByRole("status").filter({ hasText: "was undone" }).waitFor();
    assert.ok(existsSync(join(server.vault, "Projects/Launch.md")) && !existsSync(join(server.vault, "Archive/Landed.md")));
  });
  await group.check("a stopped server is reported", page, async () => {
    await visitor.goto("/");
    visitor.gone = true;
    await server.stop();
    await page.clock.runFor(5100);
    await page.getByRole("status").filter({ hasText: "does not answer" }).waitFor();
  });
}

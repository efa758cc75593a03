// Tests searching while typing, reading next to the list, and the address that restores both.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { phone } from "../browser.mjs";
import { write } from "../vaults.mjs";

// found waits until the list shows the results of a query, and returns their titles.
export async function found(page, query) {
  await page.waitForURL((url) => url.searchParams.get("q") === query);
  await page.waitForFunction(() => !document.querySelector(".htmx-request"));
  return page.locator("a.hit").allInnerTexts();
}

export async function search(group) {
  const server = await group.server();
  const visitor = await group.visitor(server.base), { page } = visitor;
  const field = page.getByRole("searchbox");
  await visitor.goto("/");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Search" }).click();
  await field.waitFor();

  await group.check("the field is ready, and the newest notes are listed", page, async () => {
    await page.waitForFunction(() => document.activeElement.id === "q");
    assert.ok(await page.locator("a.hit").count() > 10);
    assert.match(await page.locator("#search-status").innerText(), /newest/);
  });
  await group.check("results appear while typing, with marked matches, and the address follows", page, async () => {
    await page.keyboard.type("rollback", { delay: 30 });
    const titles = await found(page, "rollback");
    assert.ok(titles.length >= 3, titles.join());
    for (const mark of await page.locator(".snippet mark, .title mark").allInnerTexts()) assert.match(mark, /rollback/i);
    assert.ok(await page.locator(".snippet mark").count() >= 3);
    assert.equal(await page.locator("#search-status").innerText(), `${titles.length} notes`);
    assert.equal(await page.locator("#search-status").getAttribute("role"), "status", "and announced");
    assert.ok(await field.evaluate((element) => element === document.activeElement && element.value === "rollback"), "the field is unchanged");
  });
  await group.check("case and accents do not matter, and matches are marked", page, async () => {
    await field.fill("RIBEIRO tomas");
    const titles = await found(page, "RIBEIRO tomas");
    assert.ok(titles.some((text) => text.includes("Tomás Ribeiro")), titles.join());
    assert.ok((await page.locator("mark").allInnerTexts()).some((text) => text === "Tomás"));
  });
  await group.check("a late response does not replace a newer one", page, async () => {
    await page.route(/[?&]q=soup$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 900));
      await route.continue().catch(() => {});
    });
    await field.fill("soup");
    const asked = page.waitForRequest(/[?&]q=soup$/);
    await asked;
    await field.fill("shelf");
    const titles = await found(page, "shelf");
    await page.waitForTimeout(1000);
    assert.deepEqual(await page.locator("a.hit").allInnerTexts(), titles);
    assert.ok(titles.some((text) => /shelf/i.test(text)) && !titles.some((text) => /soup/i.test(text)), titles.join());
    assert.equal(new URL(page.url()).searchParams.get("q"), "shelf");
    await page.unroute(/[?&]q=soup$/);
  });
  await group.check("an invalid query is explained in place of the results", page, async () => {
    visitor.awaits(422, "/search");
    await field.fill("\"unfinished (");
    await page.locator("#found .problem").waitFor();
    assert.ok((await page.locator("#found .problem").innerText()).length > 10);
    await field.fill("nothingofthekind");
    await found(page, "nothingofthekind");
    assert.match(await page.locator("#search-status").innerText(), /Nothing was found/);
    assert.equal(await page.locator("#found .problem").count(), 0);
  });
  await group.check("the queries in the help work", page, async () => {
    await page.getByText("What you can search for").click();
    for (const query of ["tag:#work", "task-todo:rollback", "path:Journal file:2026", "soup OR bread", "[status:active]"]) {
      await field.fill(query);
      assert.ok((await found(page, query)).length > 0, query);
    }
  });
  await group.check("Back leads to the previous page, Forward to the same results", page, async () => {
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.goForward();
    assert.ok((await found(page, "[status:active]")).length > 0);
    assert.equal(await field.inputValue(), "[status:active]");
    await page.reload();
    await page.keyboard.type(" x");
    assert.equal(await field.inputValue(), "[status:active] x", "typing continues at the end");
  });
  await group.check("text typed before the scripts are loaded is searched for", page, async () => {
    let come;
    const typed = new Promise((resolve) => { come = resolve; });
    await page.route(/\.js/, (route) => typed.then(() => route.continue()));
    await page.goto(`${server.base}/search`, { waitUntil: "commit" });
    await field.fill("rollback");
    assert.ok(await page.evaluate(() => !window.htmx), "the scripts are not loaded yet");
    come();
    assert.ok((await found(page, "rollback")).length >= 3);
    await page.unroute(/\.js/);
  });
  await beside(group, visitor);
  await small(group, server);
  await within(group);
}

// beside tests that on a wide screen a note opens next to the list, by keyboard.
async function beside(group, visitor) {
  const { page } = visitor, field = page.getByRole("searchbox");
  await group.check("arrow keys and Enter open a note next to the list", page, async () => {
    await visitor.goto("/search");
    await field.pressSequentially("tide");
    const titles = await found(page, "tide");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.innerText), titles[1]);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.locator("#preview article").waitFor();
    assert.match(await page.locator("#preview .note-title").innerText(), new RegExp(titles[0].replace(/\W/g, ".")));
    const [list, preview] = [await page.locator("#found").boundingBox(), await page.locator("#preview").boundingBox()];
    assert.ok(preview.x >= list.x + list.width - 1, "next to the list, not below it");
    await page.keyboard.press("Escape");
    assert.ok(await field.evaluate((element) => element === document.activeElement), "Escape returns to the field");
    assert.match(await page.locator("#opened").innerText(), new RegExp(`${titles[0].replace(/\W/g, ".")} is open`), "and announced");
  });
  await group.check("the right arrow moves into the note, Escape back to its line", page, async () => {
    const open = page.locator("a.hit[aria-current]");
    await open.focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "preview");
    await page.keyboard.press("Escape");
    assert.ok(await open.evaluate((element) => element === document.activeElement));
  });
  await group.check("the address restores list and note, Back closes the note", page, async () => {
    await page.waitForURL(/note=/);
    const address = page.url(), title = await page.locator("#preview .note-title").innerText();
    await page.reload();
    await page.locator("#preview article").waitFor();
    assert.equal(await page.locator("#preview .note-title").innerText(), title);
    assert.equal(page.url(), address);
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("note"));
    await page.locator("#preview .empty").waitFor();
    assert.ok((await found(page, "tide")).length > 0);
  });
  await group.check("if two notes are chosen on a slow server, the address names the one that is shown", page, async () => {
    await page.route(/\/note\?/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 600));
      await route.continue().catch(() => {});
    });
    const hits = page.locator("a.hit"), last = await hits.nth(2).innerText();
    await hits.nth(1).click();
    await hits.nth(2).click();
    await page.locator("#preview .note-title").filter({ hasText: last }).waitFor();
    await page.waitForFunction(() => !document.querySelector(".htmx-request"));
    assert.equal(new URL(page.url()).searchParams.get("note"), await hits.nth(2).getAttribute("data-note"));
    await page.unroute(/\/note\?/);
  });
}

// within tests a long note next to the list, and a server that stops answering.
async function within(group) {
  const part = "A line of the part.\n\n".repeat(150);
  const vault = write("Parts", { "Long parts.md": `See [[#Last part]], or a footnote[^1].\n\n${part}## Last part\n\n${part}[^1]: Told at the end.\n`, "Gone parts.md": "Not for long.\n", "Short parts.md": "Brief.\n" });
  const server = await group.server({ vault });
  const visitor = await group.visitor(server.base), { page } = visitor;
  const pane = page.locator("#preview"), alert = pane.getByRole("alert");
  const open = (name) => page.locator(`a.hit[data-note="${name}.md"]`).click();
  const inPane = (id) => page.waitForFunction((id) => {
    const box = document.getElementById(id)?.getBoundingClientRect(), pane = document.getElementById("preview").getBoundingClientRect();
    return box && box.top > pane.top - 1 && box.top < pane.bottom;
  }, id);
  const atTop = () => page.waitForFunction(() => document.getElementById("preview").scrollTop === 0);
  await visitor.goto("/search?q=parts");
  await open("Long parts");
  await page.waitForURL(/note=/);
  await page.evaluate(() => { window.kept = true; });

  await group.check("a link to a heading scrolls within the pane", page, async () => {
    await pane.getByRole("link", { name: "Last part" }).click();
    await inPane("h-last-part");
    await page.goBack();
    await atTop();
    assert.equal(new URL(page.url()).hash, "");
    await page.goForward();
    await inPane("h-last-part");
    await page.goBack();
    await atTop();
    assert.ok(await page.evaluate(() => window.kept), "the page stayed");
  });
  await group.check("so do links to a footnote and back", page, async () => {
    await pane.getByRole("link", { name: "Footnote 1" }).click();
    await inPane("fn-1");
    await page.keyboard.press("Tab");
    await page.waitForFunction(() => document.activeElement.getAttribute("aria-label") === "Back to the text");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "fnref-1-0");
    await inPane("fnref-1-0");
    assert.ok(await page.evaluate(() => window.kept), "the page stayed");
  });
  await group.check("a deleted note is not announced as open", page, async () => {
    visitor.awaits(404, "/note");
    rmSync(join(vault, "Gone parts.md"));
    await page.waitForFunction(() => fetch("/note?path=Gone+parts.md").then((answer) => answer.status === 404));
    await open("Gone parts");
    await alert.filter({ hasText: "not found" }).waitFor();
    await page.waitForURL(/note=Gone/);
    assert.equal(await page.locator("#opened").textContent(), "");
    assert.equal(new URL(page.url()).hash, "", "the hash of the previous note is gone");
  });
  await group.check("if the server does not answer, no earlier note or list is shown", page, async () => {
    await open("Long parts");
    await page.waitForURL(/note=Long/);
    visitor.gone = true;
    await server.stop();
    await open("Short parts");
    await alert.filter({ hasText: "does not answer" }).waitFor();
    assert.equal(await pane.locator("article").count(), 0);
    await page.waitForFunction(() => document.getElementById("opened").textContent === "");
    await page.getByRole("searchbox").fill("brief");
    await page.locator("#found").getByRole("alert").filter({ hasText: "does not answer" }).waitFor();
    assert.equal(await page.locator("#search-status").textContent(), "");
  });
}

// small tests that on a phone a note is a separate page.
async function small(group, server) {
  const visitor = await group.visitor(server.base, { viewport: phone, touch: true }), { page } = visitor;
  await group.check("on a phone a note opens as a page, and Back leads to the list", page, async () => {
    await visitor.goto("/search");
    await page.getByRole("searchbox").fill("lentil");
    const titles = await found(page, "lentil");
    await page.locator("a.hit").first().tap();
    await page.waitForURL(/\/note\?/);
    await page.getByRole("heading", { level: 1, name: titles[0] }).waitFor();
    await page.goBack();
    await page.waitForURL(/q=lentil/);
    assert.deepEqual(await found(page, "lentil"), titles);
  });
}

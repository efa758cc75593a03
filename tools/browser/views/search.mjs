// Searching as one types, reading beside the list, and the address that brings
// it all back.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { phone } from "../browser.mjs";
import { write } from "../vaults.mjs";

// found waits until the list is of a query, and hands back its titles.
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
  await group.check("results come as one types, marked, with the address kept in step", page, async () => {
    await page.keyboard.type("rollback", { delay: 30 });
    const titles = await found(page, "rollback");
    assert.ok(titles.length >= 3, titles.join());
    for (const mark of await page.locator(".snippet mark, .title mark").allInnerTexts()) assert.match(mark, /rollback/i);
    assert.ok(await page.locator(".snippet mark").count() >= 3);
    assert.equal(await page.locator("#search-status").innerText(), `${titles.length} notes`);
    assert.equal(await page.locator("#search-status").getAttribute("role"), "status", "and said aloud");
    assert.ok(await field.evaluate((one) => one === document.activeElement && one.value === "rollback"), "the field is left alone");
  });
  await group.check("case and accents do not matter, and what matched is marked", page, async () => {
    await field.fill("RIBEIRO tomas");
    const titles = await found(page, "RIBEIRO tomas");
    assert.ok(titles.some((one) => one.includes("Tomás Ribeiro")), titles.join());
    assert.ok((await page.locator("mark").allInnerTexts()).some((one) => one === "Tomás"));
  });
  await group.check("an answer that comes late does not replace a newer one", page, async () => {
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
    assert.ok(titles.some((one) => /shelf/i.test(one)) && !titles.some((one) => /soup/i.test(one)), titles.join());
    assert.equal(new URL(page.url()).searchParams.get("q"), "shelf");
    await page.unroute(/[?&]q=soup$/);
  });
  await group.check("a query that cannot be read is explained in its place", page, async () => {
    visitor.awaits(422, "/search");
    await field.fill("\"unfinished (");
    await page.locator("#found .problem").waitFor();
    assert.ok((await page.locator("#found .problem").innerText()).length > 10);
    await field.fill("nothingofthekind");
    await found(page, "nothingofthekind");
    assert.match(await page.locator("#search-status").innerText(), /Nothing was found/);
    assert.equal(await page.locator("#found .problem").count(), 0);
  });
  await group.check("the help names what can be asked, and it is so", page, async () => {
    await page.getByText("What you can search for").click();
    for (const query of ["tag:#work", "task-todo:rollback", "path:Journal file:2026", "soup OR bread", "[status:active]"]) {
      await field.fill(query);
      assert.ok((await found(page, query)).length > 0, query);
    }
  });
  await group.check("Back leads to where one came from, forward to the same results", page, async () => {
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.goForward();
    assert.ok((await found(page, "[status:active]")).length > 0);
    assert.equal(await field.inputValue(), "[status:active]");
    await page.reload();
    await page.keyboard.type(" x");
    assert.equal(await field.inputValue(), "[status:active] x", "typing goes on at the end");
  });
  await group.check("what is typed before the scripts are there is searched for, too", page, async () => {
    let come;
    const typed = new Promise((resolve) => { come = resolve; });
    await page.route(/\.js/, (route) => typed.then(() => route.continue()));
    await page.goto(`${server.base}/search`, { waitUntil: "commit" });
    await field.fill("rollback");
    assert.ok(await page.evaluate(() => !window.htmx), "they are late");
    come();
    assert.ok((await found(page, "rollback")).length >= 3);
    await page.unroute(/\.js/);
  });
  await beside(group, visitor);
  await small(group, server);
  await within(group);
}

// beside: on a wide screen a note opens beside the list, with keys alone.
async function beside(group, visitor) {
  const { page } = visitor, field = page.getByRole("searchbox");
  await group.check("arrow keys and Enter open a note beside the list", page, async () => {
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
    assert.ok(preview.x >= list.x + list.width - 1, "beside, not below");
    await page.keyboard.press("Escape");
    assert.ok(await field.evaluate((one) => one === document.activeElement), "Escape leads back");
    assert.match(await page.locator("#opened").innerText(), new RegExp(`${titles[0].replace(/\W/g, ".")} is open`), "and it is said aloud");
  });
  await group.check("the right arrow leads into the note, Escape back to its line", page, async () => {
    const open = page.locator("a.hit[aria-current]");
    await open.focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "preview");
    await page.keyboard.press("Escape");
    assert.ok(await open.evaluate((one) => one === document.activeElement));
  });
  await group.check("its address brings both back, Back takes it away", page, async () => {
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
  await group.check("of two notes that are chosen while the server is slow, the address names the one that is shown", page, async () => {
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

// within: a long note beside the list, and a server that stops answering.
async function within(group) {
  const part = "A line of the part.\n\n".repeat(150);
  const vault = write("Parts", { "Long parts.md": `See [[#Last part]], or a footnote[^1].\n\n${part}## Last part\n\n${part}[^1]: Told at the end.\n`, "Gone parts.md": "Not for long.\n", "Short parts.md": "Brief.\n" });
  const server = await group.server({ vault });
  const visitor = await group.visitor(server.base), { page } = visitor;
  const pane = page.locator("#preview"), alert = pane.getByRole("alert");
  const open = (name) => page.locator(`a.hit[data-note="${name}.md"]`).click();
  const inPane = (id) => page.waitForFunction((one) => {
    const box = document.getElementById(one)?.getBoundingClientRect(), pane = document.getElementById("preview").getBoundingClientRect();
    return box && box.top > pane.top - 1 && box.top < pane.bottom;
  }, id);
  const atTop = () => page.waitForFunction(() => document.getElementById("preview").scrollTop === 0);
  await visitor.goto("/search?q=parts");
  await open("Long parts");
  await page.waitForURL(/note=/);
  await page.evaluate(() => { window.kept = true; });

  await group.check("a link to a heading leads there, inside of the pane", page, async () => {
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
  await group.check("so does one to a footnote, and the one back", page, async () => {
    await pane.getByRole("link", { name: "Footnote 1" }).click();
    await inPane("fn-1");
    await page.keyboard.press("Tab");
    await page.waitForFunction(() => document.activeElement.getAttribute("aria-label") === "Back to the text");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "fnref-1-0");
    await inPane("fnref-1-0");
    assert.ok(await page.evaluate(() => window.kept), "the page stayed");
  });
  await group.check("a note that is gone is not said to be open", page, async () => {
    visitor.awaits(404, "/note");
    rmSync(join(vault, "Gone parts.md"));
    await page.waitForFunction(() => fetch("/note?path=Gone+parts.md").then((answer) => answer.status === 404));
    await open("Gone parts");
    await alert.filter({ hasText: "not found" }).waitFor();
    await page.waitForURL(/note=Gone/);
    assert.equal(await page.locator("#opened").textContent(), "");
    assert.equal(new URL(page.url()).hash, "", "nor at a place of the note before");
  });
  await group.check("where the server does not answer, no earlier note and no earlier list are taken for its answer", page, async () => {
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

// small: on a phone a note is a page of its own.
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

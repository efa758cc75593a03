// Searching as one types, reading beside the list, and the address that brings
// it all back.
import assert from "node:assert/strict";
import { phone } from "../browser.mjs";

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
    await page.getByText("What can be asked").click();
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
    await page.route(/\.js/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await route.continue();
    });
    await page.goto(`${server.base}/search`, { waitUntil: "commit" });
    await field.fill("rollback");
    assert.ok(await page.evaluate(() => !window.htmx), "they are late");
    assert.ok((await found(page, "rollback")).length >= 3);
    await page.unroute(/\.js/);
  });
  await beside(group, visitor);
  await small(group, server);
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

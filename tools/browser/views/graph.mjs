// Tests the graph around a note: with mouse, keyboard and touch; as a list; and around a note with thousands of
// neighbours.
import assert from "node:assert/strict";
import { join } from "node:path";
import { phone } from "../browser.mjs";
import { hubLinks, large, largeVault } from "../vaults.mjs";
import { found } from "./search.mjs";

// seen returns the visible part of the picture.
const seen = (page) => page.locator("#graph-svg").evaluate((svg) => {
  const { x, y, width, height } = svg.viewBox.baseVal;
  return { x, y, width, height };
});

export async function graph(group) {
  const server = await group.server();
  const visitor = await group.visitor(server.base), { page } = visitor;
  const canvas = page.locator("#graph-canvas");
  await visitor.goto("/graph?note=Launch");
  const whole = await seen(page);

  await group.check("the graph shows the note and its neighbours", page, async () => {
    await page.getByRole("heading", { level: 1, name: "Graph of Launch" }).waitFor();
    assert.equal(await page.locator("a.node.centre").count(), 1);
    assert.ok(await page.locator("a.node.step1").count() >= 15);
    assert.ok(await page.locator("#graph-svg line").count() >= 15);
  });
  await group.check("labels do not overlap", page, async () => assert.deepEqual(await page.evaluate(crowded), []));
  await group.check("the wheel zooms in at the pointer", page, async () => {
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 4, box.y + box.height / 4);
    await page.mouse.wheel(0, -400);
    await page.waitForFunction((width) => document.getElementById("graph-svg").viewBox.baseVal.width < width * 0.9, whole.width);
    const now = await seen(page);
    assert.ok(now.x + now.width / 2 < whole.x + whole.width / 2, "to the left");
    assert.deepEqual(await page.evaluate(crowded), [], "labels do not overlap");
  });
  await group.check("dragging moves the picture, and opens nothing", page, async () => {
    const before = await seen(page), box = await canvas.boundingBox(), address = page.url();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 120, box.y + box.height / 2 - 60, { steps: 5 });
    await page.mouse.up();
    const now = await seen(page);
    assert.ok(now.x > before.x + 10 && now.y > before.y + 5, JSON.stringify([before, now]));
    assert.equal(page.url(), address);
  });
  await group.check("buttons and keys zoom and move too", page, async () => {
    await page.getByRole("button", { name: "Fit" }).click();
    assert.deepEqual(await seen(page), whole);
    await page.getByRole("button", { name: "Zoom in" }).click();
    const nearer = await seen(page);
    assert.ok(nearer.width < whole.width);
    await page.getByRole("button", { name: "Zoom out" }).click();
    assert.ok(Math.abs((await seen(page)).width - whole.width) < 1);
    await canvas.focus();
    for (const key of ["+", "+", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    const moved = await seen(page);
    assert.ok(moved.width < nearer.width && moved.x + moved.width / 2 > whole.x + whole.width / 2, JSON.stringify(moved));
    await page.keyboard.press("-");
    assert.ok((await seen(page)).width > moved.width);
    await page.keyboard.press("0");
    assert.deepEqual(await seen(page), whole);
  });
  await group.check("a note that gets the focus becomes visible", page, async () => {
    await canvas.focus();
    for (const key of ["+", "+", "+", "+"]) await page.keyboard.press(key);
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      const hidden = await page.evaluate(() => {
        const node = document.activeElement.closest("a.node"), box = node?.querySelector(".shape").getBoundingClientRect(), frame = document.getElementById("graph-canvas").getBoundingClientRect();
        return node && (box.right < frame.left || box.left > frame.right || box.bottom < frame.top || box.top > frame.bottom) ? node.querySelector("title").textContent : "";
      });
      assert.equal(hidden, "");
    }
    await canvas.focus();
    await page.keyboard.press("0");
    assert.deepEqual(await seen(page), whole);
  });
  await group.check("a note becomes the centre by mouse and by keyboard", page, async () => {
    await page.locator("a.node.step1").filter({ hasText: "Tideline" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Graph of Tideline" }).waitFor();
    const next = page.locator("a.node.step1").first(), name = (await next.locator("text").textContent());
    await next.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: `Graph of ${name.replace("…", "")}` }).waitFor();
    await page.getByRole("link", { name: "Open the note" }).click();
    await page.waitForURL(/\/note\?/);
  });
  await group.check("the list has the same notes as the picture", page, async () => {
    await visitor.goto("/graph?note=Launch&depth=2");
    await page.getByText("The same as a list").click();
    const listed = await page.locator("#graph-list li a:first-child").evaluateAll((all) => all.filter((element) => element.checkVisibility()).length);
    const drawn = await page.locator("a.node:not(.centre):not(.folder)").count();
    assert.ok(listed >= drawn && drawn > 20, `${listed} in the list, ${drawn} in the picture`);
  });
  await chosen(group, visitor);
  await touched(group, server);
}

// chosen tests the form and its suggestions.
async function chosen(group, visitor) {
  const { page } = visitor;
  await group.check("names are suggested while typing", page, async () => {
    await page.getByLabel("Note", { exact: true }).fill("kitch");
    await page.waitForFunction(() => [...document.querySelectorAll("#graph-names option")].some((element) => element.value.includes("Kitchen shelf")));
    await page.getByLabel("Note", { exact: true }).fill("Kitchen shelf");
    await page.getByLabel("Steps", { exact: true }).selectOption("1");
    await page.getByLabel("Links", { exact: true }).selectOption("from it");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("heading", { level: 1, name: "Graph of Kitchen shelf" }).waitFor();
    assert.match(page.url(), /direction=out/);
  });
  await group.check("an unknown name is reported", page, async () => {
    visitor.awaits(404, "/graph");
    await visitor.goto("/graph?note=No+such+note");
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel("Note", { exact: true }).inputValue(), "No such note");
  });
  await group.check("without a name, notes to start from are shown", page, async () => {
    await visitor.goto("/graph");
    assert.ok(await page.locator("a.node").count() > 3);
  });
}

// touched tests touch: two fingers zoom, one moves.
async function touched(group, server) {
  const visitor = await group.visitor(server.base, { viewport: phone, touch: true }), { page } = visitor;
  await visitor.goto("/graph?note=Launch");
  const whole = await seen(page), box = await page.locator("#graph-canvas").boundingBox();
  const session = await visitor.context.newCDPSession(page), middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const touch = (type, ...points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([dx, dy], id) => ({ x: middle.x + dx, y: middle.y + dy, id })) });
  await group.check("on the complete picture, one finger scrolls the page", page, async () => {
    await touch("touchStart", [0, 0]);
    for (let by = 10; by <= 150; by += 10) await touch("touchMove", [0, -by]);
    await touch("touchEnd");
    await page.waitForFunction(() => scrollY > 20);
    assert.deepEqual(await seen(page), whole);
    await page.evaluate(() => scrollTo(0, 0));
  });
  await group.check("two fingers zoom in on a phone", page, async () => {
    await touch("touchStart", [-20, 0], [20, 0]);
    for (let apart = 30; apart <= 110; apart += 20) await touch("touchMove", [-apart, 0], [apart, 0]);
    await touch("touchEnd");
    await page.waitForFunction((width) => document.getElementById("graph-svg").viewBox.baseVal.width < width * 0.6, whole.width);
  });
  await group.check("then one finger moves the picture, and the page does not scroll", page, async () => {
    const before = await seen(page), address = page.url();
    await touch("touchStart", [0, 0]);
    for (let by = 10; by <= 80; by += 10) await touch("touchMove", [-by, 0]);
    await touch("touchEnd");
    await page.waitForFunction((x) => document.getElementById("graph-svg").viewBox.baseVal.x > x + 5, before.x);
    assert.equal(page.url(), address);
  });
}

// crowded lists visible labels that overlap.
function crowded() {
  const boxes = [...document.querySelectorAll("a.node.labelled text")].map((element) => ({ name: element.textContent, box: element.getBoundingClientRect() }));
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  return boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => over(a.box, b.box)).map((b) => `${a.name} / ${b.name}`));
}

// tenThousand tests the page on a vault of 10,000 notes.
export async function tenThousand(group) {
  const server = await group.server({ vault: largeVault() });
  const visitor = await group.visitor(server.base), { page } = visitor;
  await group.check("the overview counts all notes", page, async () => {
    await visitor.goto("/");
    assert.match(await page.locator("main").innerText(), new RegExp(`${large.toLocaleString("en")} notes`));
  });
  await group.check("the graph of a hub shows its best connected notes, and the others by folder", page, async () => {
    await visitor.goto("/graph?note=Hub");
    const drawn = await page.locator("a.node").count();
    assert.ok(drawn > 50 && drawn <= 200, `${drawn} drawn`);
    assert.match(await page.locator("figure.graph figcaption").innerText(), new RegExp(hubLinks.toLocaleString("en").slice(0, 2)));
    assert.ok(await page.locator("a.node.folder").count() > 0, "the others are grouped by folder");
    assert.deepEqual(await page.evaluate(crowded), []);
    await page.screenshot({ path: join(group.pictures, "graph-10000.png"), fullPage: true });
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Zoom in" }).click();
    assert.deepEqual(await page.evaluate(crowded), [], "labels do not overlap when zoomed in");
  });
  await group.check("a group links to a search for its notes", page, async () => {
    await page.getByRole("button", { name: "Fit" }).click();
    const folder = page.locator("a.node.folder").first(), href = await folder.getAttribute("href");
    await visitor.goto(href);
    await page.locator("a.hit").first().waitFor();
  });
  await group.check("a graph of three steps is small enough to read", page, async () => {
    await visitor.goto("/graph?note=Hub&depth=3");
    assert.ok(await page.locator("a.node").count() <= 200);
  });
  await group.check("one word in ten thousand notes is found while typing", page, async () => {
    await visitor.goto("/search");
    await page.getByRole("searchbox").pressSequentially("xylotheque", { delay: 10 });
    const titles = await found(page, "xylotheque");
    assert.equal(titles.length, 1);
    await page.getByRole("searchbox").fill("harbour");
    assert.ok((await found(page, "harbour")).length >= 20);
    assert.match(await page.locator("#search-status").innerText(), /[\d,]{3,} notes, showing/);
  });
}

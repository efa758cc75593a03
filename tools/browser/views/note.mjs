// Tests how a note is shown: rendered as in Obsidian, with working links and pictures of the vault.
import assert from "node:assert/strict";
import { join } from "node:path";
import { write } from "../vaults.mjs";
import { tooWide } from "./looks.mjs";

export async function note(group) {
  const server = await group.server();
  const visitor = await group.visitor(server.base), { page } = visitor;
  const body = page.locator("article.md");
  await visitor.goto("/note?path=Projects/Launch.md");

  await group.check("properties are shown as written", page, async () => {
    const rows = Object.fromEntries(await page.locator(".properties tr").evaluateAll((all) => all.map((element) => [element.cells[0].innerText, element.cells[1].innerText])));
    assert.equal(rows.code, "007");
    assert.ok(Object.keys(rows).length >= 3, JSON.stringify(rows));
  });
  await group.check("Markdown is rendered, without leftover marks", page, async () => {
    assert.ok(await body.getByRole("heading").count() >= 2);
    const text = await body.evaluate((article) => {
      const copy = article.cloneNode(true);
      for (const code of copy.querySelectorAll("code, pre")) code.remove();
      return copy.textContent;
    });
    assert.doesNotMatch(text, /\[\[|\]\]|^#+ |%%/m);
  });
  await group.check("links lead to notes, and links to missing notes look different", page, async () => {
    const links = await body.locator("a[href*='/note?path=']").evaluateAll((all) => all.map((element) => element.href));
    assert.ok(links.length >= 3, `${links.length} links`);
    for (const link of new Set(links)) assert.ok((await fetch(link)).ok, link);
    await visitor.goto("/note?path=Books/Salt%20and%20Signal.md");
    assert.equal(await body.locator(".missing").innerText(), "Lighthouse keepers", "the link to a missing note");
    await visitor.goto("/note?path=Projects/Launch.md");
  });
  await group.check("backlinks are listed, and work", page, async () => {
    const sources = page.locator(".backlinks li a");
    assert.ok(await sources.count() >= 10);
    const name = await sources.first().innerText();
    await sources.first().click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  });
  await group.check("every note of the vault can be shown", page, async () => {
    const titles = await page.evaluate(everyNote);
    assert.ok(titles.length > 40, `${titles.length} notes`);
    for (const [path, status, title] of titles) assert.ok(status === 200 && path.includes(title), `${path}: ${status} ${title}`);
  });
  await group.check("pictures of the vault are shown, with alternative texts", page, async () => {
    const path = await page.evaluate(async () => {
      const pages = await (await fetch("/search?q=harbour.png")).text();
      return new DOMParser().parseFromString(pages, "text/html").querySelector("a.hit").getAttribute("href");
    });
    await visitor.goto(path);
    const picture = body.locator("img").first();
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => [...document.querySelectorAll("article.md img")].some((element) => element.complete && element.naturalWidth > 0));
    assert.ok(await picture.getAttribute("alt"), "alt");
  });
  await group.check("the page links to the graph and to Obsidian", page, async () => {
    await visitor.goto("/note?path=Projects/Launch.md");
    assert.match(await page.getByRole("link", { name: "Open in Obsidian" }).getAttribute("href"), /^obsidian:\/\/open\?.*file=Projects%2FLaunch/);
    await page.locator("main").getByRole("link", { name: "Graph", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Graph of Launch" }).waitFor();
  });
  await group.check("other files are shown as text, or refused", page, async () => {
    await visitor.goto("/note?path=Launch%20board.canvas");
    assert.ok(await body.locator("blockquote").count() >= 3, "the cards of a canvas");
    assert.ok(await body.locator("a[href*='/note?path=']").count() >= 1, "their links");
    await page.getByText("Source", { exact: true }).click();
    assert.match(await page.locator("pre.plain-text").innerText(), /"nodes"/);
    visitor.awaits(415, "/note");
    assert.equal((await visitor.goto("/note?path=Attachments/harbour.png")).status(), 415);
    visitor.awaits(404, "/note");
    assert.equal((await visitor.goto("/note?path=No%20such.md")).status(), 404);
    await page.getByRole("alert").waitFor();
  });
  await group.check("the hostile example does no harm", page, async () => {
    await visitor.goto("/note?path=Safe%20previews.md");
    assert.match(await page.title(), /^Safe previews/);
    assert.equal(await body.locator("img").count(), 0, "no picture from another host");
    assert.equal(await body.locator("a[href^='javascript']").count(), 0);
  });
}

// odd tests unusual notes.
export async function odd(group) {
  const word = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen".repeat(3);
  const vault = write("Odd", {
    [`${word}.md`]: `---\n${word}: ${word}\ntags: [${word}]\n---\n# ${word}\n\n#${word} [[${word}]] \`${word}\`\n`,
    "Tasks.md": "- [ ] Buy paint\n    - [ ] White\n        - [x] Sample\n\n1. [ ] First\n",
    "שלום.md": "# כותרת\n\nזהו פתק בעברית עם English באמצע.\n\n- [ ] משימה\n\n```\ncode stays\n```\n\nA line from the left.\n",
  });
  const server = await group.server({ vault });
  const visitor = await group.visitor(server.base), { page } = visitor;
  for (const width of [320, 1280]) {
    for (const path of [`/note?path=${encodeURIComponent(word)}.md`, `/graph?note=${encodeURIComponent(word)}`, "/search", `/search?q=${encodeURIComponent(word)}`]) {
      await group.check(`long words fit ${width} pixels at ${path.slice(0, 12)}`, page, async () => {
        await page.setViewportSize({ width, height: 800 });
        await visitor.goto(path);
        assert.deepEqual(await page.evaluate(tooWide), []);
      });
    }
  }
  await group.check("nested tasks are indented", page, async () => {
    await visitor.goto("/note?path=Tasks.md");
    const [one, two, three] = await page.locator("article.md ul input").evaluateAll((all) => all.map((box) => box.getBoundingClientRect().left));
    assert.ok(two > one + 15 && three > two + 15, `${one}, ${two}, ${three}`);
    assert.equal(await page.locator("article.md ol > li").evaluate((item) => getComputedStyle(item).listStyleType), "decimal");
  });
  await group.check("a right-to-left note is shown from right to left", page, async () => {
    await visitor.goto(`/note?path=${encodeURIComponent("שלום.md")}`);
    await page.screenshot({ path: join(group.pictures, "note-right-to-left.png"), fullPage: true });
    const start = (selector, text) => page.locator(`article.md ${selector}`).filter({ hasText: text }).first().evaluate((element) => {
      const range = document.createRange(), within = element.getBoundingClientRect();
      range.selectNodeContents(element);
      const box = range.getBoundingClientRect();
      return box.left - within.left < within.right - box.right ? "left" : "right";
    });
    assert.equal(await start("h2", "כותרת"), "right");
    assert.equal(await start("p", "זהו פתק"), "right");
    assert.equal(await start("p", "from the left"), "left", "each line by its own script");
    assert.equal(await page.locator("article.md pre").evaluate((element) => getComputedStyle(element).direction), "ltr");
  });
}

// everyNote opens, in the browser, the newest notes and every note that they link to, directly or not.
async function everyNote() {
  const seen = new Map(), waiting = ["/search", "/search?q=e", "/search?q=a"];
  while (waiting.length > 0) {
    const path = waiting.shift();
    const answer = await fetch(path);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (path.startsWith("/note")) seen.set(path, [new URLSearchParams(path.slice(5)).get("path"), answer.status, page.querySelector("h1").textContent]);
    for (const link of page.querySelectorAll("a.hit, article.md a[href^='/note?path='], .backlinks a[href^='/note?path=']")) {
      const to = link.getAttribute("href").replace(/#.*/, "");
      if (seen.has(to) || !/\.md$/.test(to)) continue;
      seen.set(to, undefined);
      waiting.push(to);
    }
  }
  return [...seen.values()];
}

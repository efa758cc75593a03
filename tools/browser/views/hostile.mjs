// Tests that hostile notes are shown and do nothing: no script runs, nothing is loaded from other hosts, and the page
// stays intact.
import assert from "node:assert/strict";
import { desktop } from "../browser.mjs";
import { evilNames, hostileVault, names, word } from "../hostile.mjs";
import { tooWide } from "./looks.mjs";
import { inlined } from "./policy.mjs";

export async function hostile(group) {
  const server = await group.server({ vault: hostileVault(), settings: { OBSIDIAN_MCP_TAG_POLICY: "off" } });
  const client = await group.client(server.base);
  const visitor = await group.visitor(server.base), { page } = visitor;
  const ran = [];
  await visitor.context.exposeFunction("pwned", () => ran.push(page.url()));
  const harmless = async (path) => {
    await provoked(page);
    assert.deepEqual(ran.splice(0), [], "a script ran");
    assert.equal(decodeURIComponent(page.url()), decodeURIComponent(server.base + path), "the page was navigated away");
    assert.equal(page.frames().length, 1, "the page contains a frame");
    assert.deepEqual(await page.evaluate(inlined, path), []);
    assert.equal(await page.evaluate(() => document.getElementById("said").parentElement.tagName), "BODY", "the page's own elements are found by their ids");
  };
  const harmlessAt = async (path) => {
    await visitor.goto(path);
    await harmless(path);
  };

  visitor.awaits(415, "/file"); // for a file that is not a picture, despite its name
  const notes = [...names, ...evilNames, "Properties", "Centre"];
  for (const name of notes) {
    const path = `/note?path=${encodeURIComponent(`${name}.md`)}`;
    await group.check(`the note ${name} is shown and does nothing`, page, async () => {
      await harmlessAt(path);
      assert.match(await page.locator("main").innerText(), new RegExp(word), "its text is shown");
    });
  }
  await group.check("long words and wide tables do not widen the page", page, async () => {
    await visitor.goto("/note?path=Long.md");
    await page.setViewportSize({ width: 320, height: 640 });
    assert.deepEqual(await page.evaluate(tooWide), []);
    await page.setViewportSize(desktop);
  });
  await group.check("search results and previews do nothing", page, async () => {
    await harmlessAt(`/search?q=${word}`);
    const text = await page.locator("main").innerText();
    for (const name of evilNames) assert.ok(text.includes(name), `${name} is listed`);
    for (const query of ["<script>pwned()</script>", "\"><img src=x onerror=pwned()>", "tag:#<script>", "{{7*7}}"]) {
      await visitor.goto(`/search?q=${encodeURIComponent(query)}`).then((answer) => assert.ok([200, 422].includes(answer.status())));
      await provoked(page);
      assert.deepEqual(ran.splice(0), [], query);
    }
  });
  await group.check("the graph does nothing", page, async () => {
    await harmlessAt("/graph?note=Centre&depth=2");
    await harmlessAt(`/graph?note=${encodeURIComponent(evilNames[0])}`);
  });
  await group.check("changes and tool results do nothing", page, async () => {
    for (const name of evilNames) await client.call("append_note", { name: `${name}.md`, text: "<script>pwned()</script>" });
    for (const path of ["/", "/changes"]) await harmlessAt(path);
    const diffs = await page.locator(".changes .what > a").evaluateAll((all) => all.map((element) => element.getAttribute("href")));
    assert.ok(diffs.length >= 3, `${diffs.length} changes`);
    for (const path of diffs) await harmlessAt(path);
    await visitor.goto("/tools/read_note?name=Scripts");
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.locator("#answer").waitFor();
    assert.match(await page.locator("#answer").innerText(), /<script>pwned\(\)<\/script>/);
    assert.deepEqual(ran, []);
  });
  await files(group, visitor, ran);
  await group.check("the page still works afterwards", page, async () => {
    await visitor.goto("/note?path=Names.md");
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Search" }).click();
    await page.getByRole("searchbox").pressSequentially(word);
    await page.waitForURL(new RegExp(`q=${word}`));
  });
}

// files tests that pictures are served, and that other files with such names are not.
async function files(group, visitor, ran) {
  const { page } = visitor;
  await group.check("a picture that is opened by itself does nothing", page, async () => {
    const answer = await visitor.goto("/file?path=Pictures/pixel.gif");
    assert.equal(answer.headers()["content-type"], "image/gif");
    const drawing = await visitor.goto("/file?path=evil.svg");
    await page.waitForTimeout(200);
    assert.match(drawing.headers()["content-security-policy"], /sandbox.*default-src 'none'/);
    assert.equal(drawing.headers()["x-content-type-options"], "nosniff");
    assert.deepEqual(ran, [], "no script of an SVG runs");
    visitor.complaints = visitor.complaints.filter((complaint) => !/Content Security Policy|sandboxed|evil.example\/n.png( failed: csp)?$/.test(complaint)); // the policy that stopped it
  });
  await group.check("a file that is not a picture is not served as one", page, async () => {
    for (const path of ["Pictures/page.png", "Scripts.md"]) assert.equal((await visitor.goto(`/file?path=${path}`)).status(), 415, path);
    visitor.awaits(404, "/file");
    for (const path of ["../../../etc/passwd.png", "/etc/hostname.png", "no-such.png", ".obsidian/x.png"]) assert.ok([404, 403, 422].includes((await visitor.goto(`/file?path=${encodeURIComponent(path)}`)).status()), path);
  });
}

// provoked does what a visitor may do on a page: wait, point at everything, focus everything, and follow the links within
// the page.
async function provoked(page) {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("main *")) {
      for (const kind of ["mouseover", "mouseenter", "focus", "toggle", "load", "error"]) element.dispatchEvent(new Event(kind));
    }
    for (const element of document.querySelectorAll("main a[href^='#'], main summary")) element.click();
    history.replaceState(null, "", location.pathname + location.search);
  });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
}

// Notes that mean harm are shown, and do nothing: no script of theirs runs,
// nothing is asked from elsewhere, the page stays what it is.
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
    assert.equal(decodeURIComponent(page.url()), decodeURIComponent(server.base + path), "the page was left");
    assert.equal(page.frames().length, 1, "there is a frame");
    assert.deepEqual(await page.evaluate(inlined, path), []);
    assert.equal(await page.evaluate(() => document.getElementById("said").parentElement.tagName), "BODY", "the page's own elements are found by their ids");
  };
  const harmlessAt = async (path) => {
    await visitor.goto(path);
    await harmless(path);
  };

  visitor.awaits(415, "/file"); // for what only says that it is a picture
  const notes = [...names, ...evilNames, "Properties", "Centre"];
  for (const name of notes) {
    const path = `/note?path=${encodeURIComponent(`${name}.md`)}`;
    await group.check(`the note ${name} is shown and does nothing`, page, async () => {
      await harmlessAt(path);
      assert.match(await page.locator("main").innerText(), new RegExp(word), "its text is there");
    });
  }
  await group.check("the longest words and widest tables do not make the page wide", page, async () => {
    await visitor.goto("/note?path=Long.md");
    await page.setViewportSize({ width: 320, height: 640 });
    assert.deepEqual(await page.evaluate(tooWide), []);
    await page.setViewportSize(desktop);
  });
  await group.check("so are the results of a search, and the notes beside them", page, async () => {
    await harmlessAt(`/search?q=${word}`);
    const text = await page.locator("main").innerText();
    for (const name of evilNames) assert.ok(text.includes(name), `${name} is listed`);
    for (const query of ["<script>pwned()</script>", "\"><img src=x onerror=pwned()>", "tag:#<script>", "{{7*7}}"]) {
      await visitor.goto(`/search?q=${encodeURIComponent(query)}`).then((answer) => assert.ok([200, 422].includes(answer.status())));
      await provoked(page);
      assert.deepEqual(ran.splice(0), [], query);
    }
  });
  await group.check("so is the graph", page, async () => {
    await harmlessAt("/graph?note=Centre&depth=2");
    await harmlessAt(`/graph?note=${encodeURIComponent(evilNames[0])}`);
  });
  await group.check("so are changes, and what tools answer", page, async () => {
    for (const name of evilNames) await client.call("append_note", { name: `${name}.md`, text: "<script>pwned()</script>" });
    for (const path of ["/", "/changes"]) await harmlessAt(path);
    const diffs = await page.locator(".changes li a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
    assert.ok(diffs.length >= 3, `${diffs.length} changes`);
    for (const path of diffs) await harmlessAt(path);
    await visitor.goto("/tools/read_note?name=Scripts");
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.locator("#answer").waitFor();
    assert.match(await page.locator("#answer").innerText(), /<script>pwned\(\)<\/script>/);
    assert.deepEqual(ran, []);
  });
  await files(group, visitor, ran);
  await group.check("the page still works after all of that", page, async () => {
    await visitor.goto("/note?path=Names.md");
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Search" }).click();
    await page.getByRole("searchbox").pressSequentially(word);
    await page.waitForURL(new RegExp(`q=${word}`));
  });
}

// files: a picture is sent as one, and what only says that it is one is not.
async function files(group, visitor, ran) {
  const { page } = visitor;
  await group.check("a picture is shown, by itself it can do nothing", page, async () => {
    const answer = await visitor.goto("/file?path=Pictures/pixel.gif");
    assert.equal(answer.headers()["content-type"], "image/gif");
    const drawing = await visitor.goto("/file?path=evil.svg");
    await page.waitForTimeout(200);
    assert.match(drawing.headers()["content-security-policy"], /sandbox.*default-src 'none'/);
    assert.equal(drawing.headers()["x-content-type-options"], "nosniff");
    assert.deepEqual(ran, [], "no script of a drawing runs");
    visitor.complaints = visitor.complaints.filter((one) => !/Content Security Policy|sandboxed|evil.example\/n.png( failed: csp)?$/.test(one)); // which is what stopped it
  });
  await group.check("what is no picture is not sent as one", page, async () => {
    for (const path of ["Pictures/page.png", "Scripts.md"]) assert.equal((await visitor.goto(`/file?path=${path}`)).status(), 415, path);
    visitor.awaits(404, "/file");
    for (const path of ["../../../etc/passwd.png", "/etc/hostname.png", "no-such.png", ".obsidian/x.png"]) assert.ok([404, 403, 422].includes((await visitor.goto(`/file?path=${encodeURIComponent(path)}`)).status()), path);
  });
}

// provoked does what somebody may do to a page: wait, point at everything,
// focus everything, and follow the links that stay on it.
async function provoked(page) {
  await page.evaluate(() => {
    for (const one of document.querySelectorAll("main *")) {
      for (const kind of ["mouseover", "mouseenter", "focus", "toggle", "load", "error"]) one.dispatchEvent(new Event(kind));
    }
    for (const one of document.querySelectorAll("main a[href^='#'], main summary")) one.click();
    history.replaceState(null, "", location.pathname + location.search);
  });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
}

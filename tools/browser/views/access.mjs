// Tests who has access and what they may do, and that a caller with limits sees nothing that is closed to them.
import assert from "node:assert/strict";
import { logIn, owner } from "./login.mjs";

const limited = { name: "reader", secret: "a-token-with-limits-for-these-checks", read_only: true, allow: ["Projects/"] };
const past = { name: "yesterday", secret: "a-token-that-has-expired", deny: ["Journal/"], expires: "2025-01-01T00:00:00Z" };

export async function access(group) {
  const server = await group.server({ settings: { OBSIDIAN_MCP_TOKEN: owner }, tokens: [limited, past] });
  const visitor = await group.visitor(server.base), { page } = visitor;
  await logIn(visitor, owner);
  await group.check("the owner sees who has access and what they may do", page, async () => {
    await visitor.goto("/access");
    const rows = await page.locator("tbody tr").allInnerTexts();
    assert.equal(rows.length, 3);
    assert.match(rows[0], /OBSIDIAN_MCP_TOKEN[^]*read and write[^]*everywhere/);
    assert.match(rows[1], /reader[^]*read[^]*Projects\//);
    assert.match(rows[2], /yesterday[^]*Journal\/[^]*2025-01-01[^]*expired/);
    assert.match(await page.locator("main").innerText(), /Without limits/);
  });
  await group.check("no page shows a token", page, async () => {
    for (const path of ["/", "/access", "/connect", "/livesync", "/tools", "/changes"]) {
      await visitor.goto(path);
      const html = await page.content();
      for (const secret of [owner, limited.secret, past.secret]) assert.ok(!html.includes(secret), `${path} shows a token`);
    }
  });
  await confined(group, server);
}

// closed are words of the example vault that no note in Projects/ contains.
const closed = ["Quiet Cartographer", "Lentil soup", "Apfelkuchen", "Ada Quill", "Kick-off", "Journal/"];

async function confined(group, server) {
  const client = await group.client(server.base, owner);
  await client.call("append_note", { name: "Lentil soup", text: "a change that is closed to some" });
  await client.call("append_note", { name: "Kitchen shelf", text: "a change that is open" });
  const visitor = await group.visitor(server.base), { page } = visitor;
  await logIn(visitor, limited.secret);
  const text = async (path) => {
    await visitor.goto(path);
    return page.locator("body").evaluate((body) => body.outerHTML);
  };
  await group.check("a limited reader sees only open notes", page, async () => {
    for (const path of ["/", "/search", "/search?q=the", "/graph", "/graph?note=Launch&depth=3", "/changes", "/tools", "/connect", "/access"]) {
      const html = await text(path);
      for (const word of closed) assert.ok(!html.includes(word), `${path} shows ${word}`);
    }
  });
  await group.check("no link leads to a closed note", page, async () => {
    for (const path of ["/search", "/graph?note=Launch&depth=3", "/note?path=Projects/Launch.md", "/note?path=Projects/Tideline.md", "/changes"]) {
      await visitor.goto(path);
      const named = await page.locator("main a").evaluateAll((all) => all.map((element) => new URL(element.getAttribute("href"), location).searchParams).map((to) => to.get("path") ?? to.get("note")).filter(Boolean));
      if (path !== "/changes") assert.ok(named.length > 0, path);
      for (const to of named) assert.match(to, /^(Projects\/|Launch$)/, `${path} links to ${to}`);
      for (const source of await page.locator(".backlinks li").allInnerTexts()) assert.match(source, /^(Launch|Tideline|Kitchen shelf|Allotment)/, `${path} is linked from ${source}`);
    }
  });
  await group.check("numbers count open notes only", page, async () => {
    await visitor.goto("/");
    assert.match(await page.locator("main").innerText(), /4 notes/);
    assert.match(await page.locator("main").innerText(), /read-only/);
    assert.ok(!(await page.locator("main").innerText()).includes(server.vault), "the vault's path is hidden");
  });
  await group.check("open notes are found", page, async () => {
    assert.match(await text("/search?q=shelf"), /Kitchen shelf/);
    assert.match(await text("/note?path=Projects/Kitchen%20shelf.md"), /a change that is open/);
    assert.match(await text("/access"), /reader/);
  });
  await group.check("closed pages are not in the menu, and are refused", page, async () => {
    const menu = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allInnerTexts();
    assert.ok(!menu.includes("LiveSync"), menu.join());
    for (const [path, status] of [["/livesync", 403], ["/note?path=Recipes/Lentil%20soup.md", 404], ["/tools/create_note", 404], ["/file?path=Attachments/harbour.png", 404]]) {
      visitor.awaits(status, path.replace(/\?.*/, ""));
      assert.equal((await visitor.goto(path)).status(), status, path);
      assert.ok(!/red lentils|cumin/.test(await page.content()));
    }
  });
  await group.check("nothing can be changed", page, async () => {
    await visitor.goto("/changes");
    assert.equal(await page.getByRole("button", { name: /Undo/ }).count(), 0);
    await visitor.goto("/tools");
    const offered = await page.locator(".tools code").allInnerTexts();
    assert.ok(offered.includes("read_note") && !offered.includes("append_note"), offered.join());
  });
}

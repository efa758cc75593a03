// Tests the configuration blocks for clients: each is shown, can be copied, and names this server.
import assert from "node:assert/strict";
import { logIn, owner } from "./login.mjs";

// clients must all be listed.
const clients = ["Claude Desktop", "Claude Code", "Cursor", "VS Code", "Windsurf", "Zed", "Gemini CLI", "Codex CLI", "ChatGPT"];

export async function connect(group) {
  const server = await group.server();
  const visitor = await group.visitor(server.base), { page } = visitor;
  await visitor.goto("/connect");
  await group.check("every client has a block", page, async () => {
    const named = await page.getByRole("heading", { level: 2 }).allInnerTexts();
    for (const client of clients) assert.ok(named.includes(client), `${client} is not among ${named.join(", ")}`);
  });
  await group.check("each block can be copied exactly", page, async () => {
    const blocks = page.locator("button[data-copy]");
    assert.ok(await blocks.count() >= clients.length);
    for (const block of await blocks.all()) {
      const from = await block.getAttribute("data-copy");
      await page.evaluate(() => navigator.clipboard.writeText(""));
      await block.click();
      await page.waitForFunction(() => navigator.clipboard.readText());
      const copied = await page.evaluate(() => navigator.clipboard.readText()), shown = await page.locator(from).textContent();
      assert.equal(copied, shown, from);
      assert.ok(copied.trim().length > 10 && !/undefined|<no value>|%!/.test(copied), copied);
    }
  });
  await group.check("JSON blocks are valid, and name this server and this vault", page, async () => {
    const texts = await page.locator("main pre").allTextContents();
    for (const text of texts.filter((text) => /^\s*\{/.test(text))) JSON.parse(text);
    assert.ok(texts.some((text) => text.includes(`${server.base}/mcp`)), "by URL");
    assert.ok(texts.some((text) => text.includes(server.vault)), "as a program");
    for (const text of texts) assert.ok(text.includes(`${server.base}/mcp`) || text.includes(server.vault), text);
    assert.ok(!texts.some((text) => text.includes("YOUR_TOKEN")), "no token is asked for if none is needed");
  });
  await group.check("copying works without the clipboard API, as without TLS", page, async () => {
    await page.evaluate(() => navigator.clipboard.writeText("before"));
    const old = await visitor.context.newPage();
    await old.addInitScript(() => Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined }));
    await old.goto(`${server.base}/connect`);
    const button = old.locator("button[data-copy]").first(), shown = await old.locator(await button.getAttribute("data-copy")).textContent();
    await button.click();
    await old.getByText("Copied", { exact: true }).waitFor();
    assert.equal(await old.locator("textarea").count(), 0, "the helper element is removed");
    await old.close();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), shown);
  });
  await group.check("if a login is needed, a placeholder is shown instead of the token", page, async () => {
    const guarded = await group.server({ settings: { OBSIDIAN_MCP_TOKEN: owner } });
    const other = await group.visitor(guarded.base);
    await logIn(other, owner, "/login?next=/connect");
    const text = await other.page.locator("main").innerText();
    assert.match(text, /YOUR_TOKEN/);
    assert.ok(!text.includes(owner));
  });
}

// Tests how the page shows what is not plain text: canvases, PDFs and embeds.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { violations } from "../axe.mjs";
import { write } from "../vaults.mjs";
import { tooWide } from "./looks.mjs";

const pdf = readFileSync(new URL("../../../internal/media/pdf/testdata/pdfkit.pdf", import.meta.url));
const hostile = "</text></svg><img src=x onerror=alert(1)><script>alert(1)</script>";

export async function files(group) {
  const vault = write("Files", {
    "Home.md": "# Home\n\n![[Plan#Beds]]\n\n![[Gone]]\n\n![[harbour.pdf]]\n",
    "Plan.md": "# Beds\n\nBeans.\n\n# Paths\n\nGravel.\n",
    "harbour.pdf": pdf,
    "Board.canvas": JSON.stringify({
      nodes: [
        { id: "a", type: "text", text: hostile, x: 0, y: 0, width: 300, height: 120, color: "1" },
        { id: "b", type: "file", file: "Plan.md", x: 500, y: 0, width: 200, height: 80, color: "#0a7" },
        { id: "g", type: "group", label: "Garden", x: 480, y: -20, width: 240, height: 140 },
      ],
      edges: [{ id: "e", fromNode: "a", toNode: "b", label: "then", color: "6" }],
    }),
  });
  const server = await group.server({ vault });
  const visitor = await group.visitor(server.base), { page } = visitor;

  await group.check("a canvas is drawn, and its cards are links", page, async () => {
    await visitor.goto("/note?path=Board.canvas");
    const boxes = await page.locator(".board-card .shape").evaluateAll((all) => all.map((shape) => shape.getBoundingClientRect().left));
    assert.equal(boxes.length, 3);
    assert.ok(boxes[1] < boxes[0] && boxes[0] < boxes[2], `group, text and file begin at ${boxes}`);
    assert.equal(await page.locator(".board img, .board script").count(), 0);
    const [line, tip] = await page.locator(".board-arrow").evaluate((arrow) => [getComputedStyle(arrow.querySelector(".line")).stroke, getComputedStyle(arrow.querySelector(".tip")).fill]);
    assert.equal(line, tip, "the colours of the arrow");
    assert.deepEqual(await violations(page), []);
  });
  await group.check("a canvas fits a narrow screen, or scrolls at its actual size", page, async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    assert.deepEqual(await page.evaluate(tooWide), []);
    await page.getByLabel("Actual size").check();
    assert.ok(await page.locator(".board-frame").evaluate((frame) => frame.scrollWidth > frame.clientWidth), "it scrolls");
    assert.deepEqual(await page.evaluate(tooWide), []);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator(".board-frame a").first().click();
    await page.getByRole("heading", { level: 1, name: "Plan" }).waitFor();
  });
  await group.check("embeds are shown in place", page, async () => {
    await visitor.goto("/note?path=Home.md");
    const quotes = page.locator("blockquote.embedded");
    assert.match(await quotes.nth(0).innerText(), /Plan › Beds[^]*Beans\.$/);
    assert.match(await quotes.nth(1).innerText(), /Gone not found/);
    assert.deepEqual(await violations(page), []);
  });
  await group.check("a PDF is read page by page", page, async () => {
    await page.locator("article.md").getByRole("link", { name: "harbour.pdf" }).click();
    assert.match(await page.locator("pre.plain-text").innerText(), /Notes on the harbour/);
    assert.deepEqual(await violations(page), []);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByText("page 2 of 2").waitFor();
    await page.getByLabel("Page", { exact: true }).fill("1");
    await page.getByRole("button", { name: "Go" }).click();
    await page.getByText("page 1 of 2").waitFor();
  });
}

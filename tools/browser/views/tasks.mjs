// Tests the daily note and the list of tasks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export async function tasks(group) {
  const server = await group.server();
  const read = (path) => readFileSync(join(server.vault, path), "utf8");
  for (const scripts of [true, false]) {
    const visitor = await group.visitor(server.base, { scripts }), { page } = visitor;
    const how = scripts ? "" : ", without scripts";
    await group.check(`a box ticks its task, and the list comes back without it${how}`, page, async () => {
      await visitor.goto("/tasks?q=" + encodeURIComponent("not done; filename includes Kitchen shelf"));
      const boxes = page.getByRole("checkbox");
      const before = await boxes.count();
      await boxes.first().focus();
      await page.keyboard.press("Space");
      await page.getByRole("status").filter({ hasText: before === 2 ? "1 task" : "There are no such tasks." }).waitFor();
      assert.equal(await page.getByRole("checkbox").count(), before - 1);
      assert.match(page.url(), /q=not\+done/);
    });
    await group.check(`a line goes into the note of a day, which is made first${how}`, page, async () => {
      const day = scripts ? "2026-10-01" : "2026-10-02";
      await visitor.goto(`/today?date=${day}`);
      await page.getByLabel("A line to add").fill("- [ ] look at the <b>tide</b>");
      await page.getByRole("button", { name: "Create the note" }).click();
      await page.getByRole("heading", { name: "Open tasks in this note" }).waitFor();
      assert.ok(read(`Journal/${day}.md`).includes("- [ ] look at the <b>tide</b>"));
      assert.equal(await page.locator("main b").count(), 0, "markup in notes is text");
      const box = page.getByRole("checkbox", { name: "look at the <b>tide</b>" });
      await box.click();
      await box.waitFor({ state: "detached" });
      assert.match(page.url(), /\/today\?date=/);
      assert.match(read(`Journal/${day}.md`), /- \[x\] look at the <b>tide<\/b> ✅ \d{4}/);
    });
  }
  const shelf = read("Projects/Kitchen shelf.md");
  assert.equal(shelf.match(/- \[x\] .* ✅ \d{4}-\d\d-\d\d/g)?.length, 2, shelf);
}

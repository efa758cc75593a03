// Tests the list of changes, and the diff of each.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export async function changes(group) {
  const server = await group.server();
  const client = await group.client(server.base);
  const visitor = await group.visitor(server.base), { page } = visitor;
  await client.call("append_note", { name: "Home", text: "first <b>line</b>" });
  await client.call("append_note", { name: "Roadmap", text: "second line" });
  await visitor.goto("/changes");

  await group.check("changes are listed, the newest first", page, async () => {
    const rows = await page.locator(".changes li").allInnerTexts();
    assert.equal(rows.length, 2);
    assert.match(rows[0], /Roadmap/);
    assert.match(rows[1], /Home/);
  });
  await group.check("a change shows its lines, and markup in them as text", page, async () => {
    await page.locator(".changes .what > a").last().click();
    await page.locator("pre.diff").waitFor();
    await page.waitForLoadState("load"); // including the styles
    assert.match(await page.locator(".diff .added").allInnerTexts().then((all) => all.join("\n")), /\+first <b>line<\/b>/);
    assert.equal(await page.locator(".diff b").count(), 0);
    assert.match(await page.locator(".diff .where").first().innerText(), /Home\.md/);
    const [added, same] = [await colour(page, ".added"), await colour(page, ".same")];
    assert.notEqual(added, same, "added lines have their own colour");
  });
  await group.check("a change can be undone on its own page", page, async () => {
    await page.getByRole("button", { name: "Undo this change" }).click();
    await page.getByRole("status").filter({ hasText: "was undone" }).waitFor();
    assert.ok(!readFileSync(join(server.vault, "Home.md"), "utf8").includes("first <b>"));
    assert.ok(readFileSync(join(server.vault, "Roadmap.md"), "utf8").includes("second line"), "the other change stays");
  });
  await group.check("the page of an undone change says so", page, async () => {
    await page.locator(".changes .what > a").last().click();
    await page.getByText("This change was undone").waitFor();
    assert.equal(await page.getByRole("button", { name: /Undo/ }).count(), 0);
    await page.getByRole("link", { name: "The undo is listed among the changes" }).click();
  });
  await group.check("the diff of an undo shows what it removed", page, async () => {
    await page.locator(".changes .what > a").first().click();
    await page.locator("pre.diff").waitFor();
    assert.match((await page.locator(".diff .removed").allInnerTexts()).join("\n"), /-first/);
  });
  await group.check("an undo from an outdated page leads to the change, where the button works", page, async () => {
    await client.call("append_note", { name: "Home", text: "third line" });
    await visitor.goto("/changes");
    await page.locator(".changes [name=form]").first().evaluate((element) => { element.value = "from an earlier server"; });
    visitor.awaits(403, "/undo");
    await page.locator(".changes button").first().click();
    await page.getByRole("alert").filter({ hasText: "nothing was undone" }).waitFor();
    assert.ok(readFileSync(join(server.vault, "Home.md"), "utf8").includes("third line"));
    await page.getByRole("button", { name: "Undo this change" }).click();
    await page.getByRole("status").filter({ hasText: "was undone" }).waitFor();
    assert.ok(!readFileSync(join(server.vault, "Home.md"), "utf8").includes("third line"));
  });
  await group.check("chosen changes are undone as one, and so is the undo", page, async () => {
    for (const name of ["Home", "Roadmap"]) await client.call("append_note", { name, text: "chosen line" });
    await client.call("append_note", { name: "Launch", text: "another line" });
    await visitor.goto("/changes");
    for (const nth of [1, 2]) await page.getByRole("checkbox", { name: /^Choose: changed/ }).nth(nth).check();
    await page.getByRole("button", { name: "Undo the chosen changes" }).click();
    await page.getByRole("status").filter({ hasText: "Several changes were undone" }).waitFor();
    assert.deepEqual(having(server, "chosen line"), []);
    assert.ok(readFileSync(join(server.vault, "Projects/Launch.md"), "utf8").includes("another line"), "the other change stays");
    await page.getByRole("button", { name: "Undo: undid 2 changes" }).click();
    await page.getByRole("status").filter({ hasText: "was undone" }).waitFor();
    assert.deepEqual(having(server, "chosen line"), ["Home.md", "Roadmap.md"]);
  });
  await group.check("changes of which one was overwritten are undone by force only", page, async () => {
    await client.call("append_note", { name: "Home", text: "later line" });
    await visitor.goto("/changes");
    for (const name of [/changed Home/, /changed .*Roadmap/]) await page.getByRole("checkbox", { name }).nth(name.source.includes("Home") ? 1 : 0).check();
    visitor.awaits(409, "/changes/undo");
    await page.getByRole("button", { name: "Undo the chosen changes" }).click();
    await page.getByRole("alert").filter({ hasText: "changed again since" }).waitFor();
    assert.equal(await page.locator(".changes li").count(), 2, "the page lists the chosen changes");
    assert.deepEqual(having(server, "chosen line"), ["Home.md", "Roadmap.md"], "nothing has changed");
    await page.getByRole("button", { name: "Undo them anyway" }).click();
    await page.getByRole("status").filter({ hasText: "Several changes were undone" }).waitFor();
    assert.deepEqual(having(server, "chosen line"), []);
  });
  await group.check("a session is undone as a whole", page, async () => {
    const other = await group.client(server.base);
    for (const name of ["Home", "Roadmap"]) await other.call("append_note", { name, text: "of a session" });
    await client.call("append_note", { name: "Launch", text: "not of it" });
    await visitor.goto("/changes");
    await page.locator(".changes li").filter({ hasText: "Home" }).first().getByRole("link", { name: /^session/ }).click();
    await page.getByRole("heading", { level: 1, name: "Changes of a session" }).waitFor();
    assert.equal(await page.locator(".changes li").count(), 2, "only those of the session");
    await page.getByRole("button", { name: "Undo the whole session" }).click();
    await page.getByRole("status").filter({ hasText: "Several changes were undone" }).waitFor();
    assert.deepEqual(having(server, "of a session"), []);
    assert.ok(readFileSync(join(server.vault, "Projects/Launch.md"), "utf8").includes("not of it"), "other sessions stay");
  });
  await group.check("choosing nothing undoes nothing", page, async () => {
    visitor.awaits(422, "/changes/undo");
    await page.getByRole("button", { name: "Undo the chosen changes" }).click();
    await page.getByRole("alert").filter({ hasText: "no change was chosen" }).waitFor();
  });
  await group.check("a missing change is reported as missing", page, async () => {
    visitor.awaits(404, "/changes/nothing-of-the-kind");
    await visitor.goto("/changes/nothing-of-the-kind");
    await page.getByRole("alert").waitFor();
    await page.getByRole("link", { name: "Back to the overview" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });
}

// having returns the two notes that contain a text.
const having = (server, text) => ["Home.md", "Roadmap.md"].filter((name) => readFileSync(join(server.vault, name), "utf8").includes(text));

const colour = (page, line) => page.locator(`.diff ${line}`).first().evaluate((element) => getComputedStyle(element).color);

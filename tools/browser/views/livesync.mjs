// Tests the form that tests a LiveSync connection, on a server with such a vault: it reports what works, and names what
// is wrong.
import assert from "node:assert/strict";
import { couchdb, login } from "../couchdb.mjs";
import { fact } from "./overview.mjs";

export async function livesync(group) {
  const database = await couchdb();
  group.until(database.stop);
  const server = await group.server({ vault: null, settings: database.settings });
  const visitor = await group.visitor(server.base), { page } = visitor;
  const good = { url: database.url, database: "notes", user: login.user, password: login.password, passphrase: login.passphrase };
  const test = (given) => tryOut(visitor, { ...good, ...given });

  await group.check("the overview names the database, and shows no secret", page, async () => {
    await visitor.goto("/");
    assert.equal(await fact(page, "Store").innerText(), "LiveSync");
    assert.match(await fact(page, "Location").innerText(), /127\.0\.0\.1.*notes/);
    assert.ok(!(await page.content()).includes(login.password));
  });
  await group.check("the form names the served database, and contains no secret", page, async () => {
    await visitor.goto("/livesync");
    assert.equal(await page.getByLabel("CouchDB address").inputValue(), database.url);
    assert.equal(await page.getByLabel("Database").inputValue(), "notes");
    for (const label of ["Password", "End-to-end encryption passphrase", "Setup link of the plugin", "Passphrase of the link"]) {
      assert.equal(await page.getByLabel(label, { exact: true }).inputValue(), "");
    }
  });
  await group.check("correct settings pass all checks", page, async () => {
    const found = await test({});
    assert.ok(found.length >= 2 && found.every(([mark]) => mark === "ok"), JSON.stringify(found));
  });
  await group.check("empty secrets mean the server's own", page, async () => {
    const found = await test({ password: "", passphrase: "" });
    assert.ok(found.every(([mark]) => mark === "ok"), JSON.stringify(found));
  });
  for (const [what, given, told] of [
    ["a wrong password", { password: "wrong" }, /password|log ?in|unauthorized|user/i],
    ["a wrong passphrase", { passphrase: "wrong" }, /passphrase/i],
    ["a missing database", { database: "elsewhere" }, /elsewhere|database/i],
    ["an unreachable server", { url: "http://127.0.0.1:9" }, /reach|connect|refused|answer/i],
    ["an invalid address", { url: "http://127.0.0.1:1/a b?c" }, /./],
  ]) {
    await group.check(`${what} is reported`, page, async () => {
      const found = await test(given), failed = found.filter(([mark]) => mark === "failed");
      assert.equal(failed.length > 0, true, JSON.stringify(found));
      assert.match(failed.map(([, text]) => text).join(), told);
      const text = await page.locator("#checks").innerText();
      for (const secret of [login.password, login.passphrase]) assert.ok(!text.includes(secret), "no secret is shown");
    });
  }
  const link = await database.setupLink("a passphrase for the link");
  const paste = (given) => test({ url: "", database: "", user: "", password: "", passphrase: "", link_passphrase: "a passphrase for the link", ...given });
  await group.check("a setup link passes all checks, also in pieces", page, async () => {
    for (const text of [link, `${link.slice(0, 90)}\n  ${link.slice(90)}\n`]) {
      const found = await paste({ link: text });
      assert.ok(found.length >= 5 && found.every(([mark]) => mark === "ok"), JSON.stringify(found));
      assert.ok(found.some(([, text]) => text.includes("its settings are those of the database")), JSON.stringify(found));
    }
  });
  for (const [what, given, told] of [
    ["a wrong passphrase of the link", { link, link_passphrase: "wrong" }, /the passphrase does not open the link/],
    ["a link without its end", { link: link.slice(0, 200) }, /incomplete/],
    ["another link", { link: "obsidian://open?vault=x" }, /not a setup link/],
    ["an empty form", { link: "" }, /enter a setup link, or the address/],
  ]) {
    await group.check(`${what} is reported`, page, async () => {
      const found = await paste(given);
      assert.ok(found.length === 1 && found[0][0] === "failed", JSON.stringify(found));
      assert.match(found[0][1], told);
    });
  }
  await group.check("a link is not shown again", page, async () => {
    await paste({ link });
    const text = await page.locator("#checks").innerText();
    for (const secret of [login.password, login.passphrase, link.slice(40, 80)]) assert.ok(!text.includes(secret), "no secret is shown");
    await visitor.goto("/livesync");
    assert.equal(await page.locator("#link").inputValue(), "");
  });
  await group.check("the served vault can be read and searched like any other", page, async () => {
    await visitor.goto("/search?q=shelf");
    await page.getByRole("link", { name: /Kitchen shelf/ }).first().waitFor();
  });
  await group.check("if the server does not answer, no earlier result is shown", page, async () => {
    await visitor.goto("/livesync");
    assert.ok((await test({})).length >= 2);
    visitor.gone = true;
    await server.stop();
    await page.getByRole("button", { name: "Test the connection" }).click();
    await page.locator("#checks").getByRole("alert").filter({ hasText: "does not answer" }).waitFor();
    assert.equal(await page.locator("#checks li").count(), 0);
  });
}

// tryOut fills in the form, and returns the marks and texts of the results.
async function tryOut({ page }, given) {
  for (const [name, value] of Object.entries(given)) await page.locator(`#${name}`).fill(value);
  const answered = page.waitForResponse((answer) => answer.request().method() === "POST", { timeout: 30_000 });
  await page.getByRole("button", { name: "Test the connection" }).click();
  await answered;
  await page.locator("form.card button:not([disabled])").waitFor();
  return page.locator("#checks li").evaluateAll((all) => all.map((element) => [element.querySelector(".mark").textContent, element.textContent.trim()]));
}

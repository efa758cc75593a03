// Tests logging in and out.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

// owner is a token without limits.
export const owner = "a-token-without-limits-for-these-checks";

export async function logIn(visitor, token, path = "/login") {
  await visitor.goto(path);
  await visitor.page.getByLabel("Token").fill(token);
  await visitor.page.getByRole("button", { name: "Log in" }).click();
  await visitor.page.getByRole("button", { name: "Log out" }).waitFor();
  await visitor.page.waitForLoadState("load"); // including scripts
}

export async function login(group) {
  const soon = new Date(Date.now() + 45_000), brief = { name: "brief", secret: "a-token-for-some-seconds-only", expires: soon.toISOString() };
  const server = await group.server({ settings: { OBSIDIAN_MCP_TOKEN: owner }, tokens: [brief] });
  const short = await group.visitor(server.base);
  await logIn(short, brief.secret);
  short.awaits(401, "/now"); // which the overview requests every five seconds
  const visitor = await group.visitor(server.base), { page } = visitor;
  const path = () => page.evaluate(() => location.pathname + location.search);

  await group.check("every page leads a visitor without a login to the login", page, async () => {
    for (const wanted of ["/", "/search?q=x", "/note?path=Home.md", "/file?path=Attachments/harbour.png", "/graph", "/changes", "/tools", "/tools/read_note", "/connect", "/livesync", "/access", "/now"]) {
      await visitor.goto(wanted);
      assert.match(await path(), /^\/login/, wanted);
      assert.ok(!(await page.content()).includes("Tideline"), `${wanted} reveals nothing`);
      assert.equal(await page.getByRole("navigation").count(), 0, "there is no menu");
    }
  });
  await group.check("a wrong token is refused with an explanation", page, async () => {
    await visitor.goto("/login");
    await page.getByLabel("Token").fill("wrong");
    visitor.awaits(401, "/login");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    assert.ok(!(await page.content()).includes('"wrong"'), "the token is not sent back");
    await page.waitForFunction(() => document.activeElement.id === "token"); // ready for another attempt
  });
  await group.check("the right token leads to the requested page", page, async () => {
    await visitor.goto("/tools/read_note?name=Home");
    await page.getByLabel("Token").fill(owner);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Log out" }).waitFor();
    assert.equal(await path(), "/tools/read_note?name=Home");
    assert.equal(await page.locator("#field-name").inputValue(), "Home");
  });
  await group.check("the cookie is for this server only", page, async () => {
    const [cookie, ...more] = await visitor.context.cookies();
    assert.equal(more.length, 0);
    assert.ok(cookie.httpOnly && ["Lax", "Strict"].includes(cookie.sameSite), JSON.stringify(cookie));
    assert.ok(!cookie.value.includes(owner) && cookie.value.length >= 20);
  });
  await group.check("logging out works for the back button and the old cookie too", page, async () => {
    const cookies = await visitor.context.cookies();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").waitFor();
    await page.goBack();
    assert.ok(!(await page.content()).includes("Log out"), "no page is cached");
    await visitor.context.addCookies(cookies);
    await visitor.goto("/");
    assert.match(await path(), /^\/login/);
  });
  await group.check("a page of an earlier login does not pretend to log out", page, async () => {
    await logIn(visitor, owner, "/login?next=/access");
    const other = await visitor.context.newPage();
    await other.goto(`${server.base}/login`);
    await other.getByLabel("Token").fill(owner);
    await other.getByRole("button", { name: "Log in" }).click();
    await other.getByRole("button", { name: "Log out" }).waitFor();
    await other.close();
    visitor.awaits(403, "/logout");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("alert").filter({ hasText: "still logged in" }).waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").waitFor();
    await visitor.goto("/search");
    assert.match(await path(), /^\/login/);
  });
  await group.check("a login does not redirect to another server", page, async () => {
    visitor.awaits(404, "evil.example"); // from this server, which has no such page
    for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)", "/%09/evil.example", "/\t/evil.example", "%2f%2fevil.example", "///evil.example", "/..//evil.example"]) {
      await visitor.goto(`/login?next=${encodeURIComponent(next)}`);
      await page.getByLabel("Token").fill(owner);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.waitForURL((url) => url.pathname !== "/login");
      assert.equal(new URL(page.url()).origin, server.base, next);
      await visitor.context.clearCookies();
    }
  });
  await group.check("entered text survives the end of the login", page, async () => {
    await logIn(visitor, owner, "/login?next=/tools/append_note");
    await page.locator("#field-name").fill("Home");
    await page.locator("#field-text").fill("a long thought");
    await visitor.context.clearCookies();
    visitor.awaits(401, "/tools/append_note");
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByRole("alert").filter({ hasText: "your login has ended" }).waitFor();
    const [other] = await Promise.all([visitor.context.waitForEvent("page"), page.getByRole("link", { name: "Log in on another page" }).click()]);
    await other.getByLabel("Token").fill(owner);
    await other.getByRole("button", { name: "Log in" }).click();
    await other.getByRole("button", { name: "Log out" }).waitFor();
    await other.close();
    visitor.awaits(403, "/tools/append_note");
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByRole("alert").filter({ hasText: "press the button again" }).waitFor();
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.locator("#answer").waitFor();
    assert.ok(readFileSync(join(server.vault, "Home.md"), "utf8").includes("a long thought"));
    await visitor.context.clearCookies();
  });
  await group.check("an expired token ends its login, also on an open page", short.page, async () => {
    await short.page.getByLabel("Token").waitFor({ timeout: 120_000 });
    assert.ok(Date.now() >= soon, "not before");
    assert.match(new URL(short.page.url()).pathname, /^\/login$/);
  });
  await group.check("guessing tokens is slowed down", page, async () => {
    await visitor.goto("/login");
    visitor.awaits(429, "/login");
    const guess = async (token) => {
      await page.getByLabel("Token").fill(token);
      const answer = page.waitForResponse((response) => response.request().method() === "POST");
      await Promise.all([page.waitForEvent("domcontentloaded"), page.keyboard.press("Enter")]);
      return (await answer).status();
    };
    const begun = Date.now();
    let tries = 1;
    while (tries < 20 && await guess(`guess-${tries}`) !== 429) tries++;
    assert.ok(tries <= 6 + (Date.now() - begun) / 12_000, `${tries} guesses`); // five a minute
    assert.match(await page.getByRole("alert").innerText(), /too many|wait|later/i);
  });
}

// Tests attacks from another origin through the visitor's browser: with forms, with fetch, and in a frame.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { logIn, owner } from "./login.mjs";

export async function csrf(group) {
  for (const [how, settings] of [["open to this machine", {}], ["with a login", { OBSIDIAN_MCP_TOKEN: owner }]]) {
    const server = await group.server({ settings });
    const elsewhere = await evilSite(server.base);
    group.until(elsewhere.stop);
    for (const host of ["localhost", "127.0.0.1"]) await attack(group, `${how}, from ${host}`, server, `http://${host}:${elsewhere.port}`, settings.OBSIDIAN_MCP_TOKEN);
    await ownForms(group, how, server, settings.OBSIDIAN_MCP_TOKEN);
  }
}

// attack makes all attacks from the other site. On 127.0.0.1 it is the same site for cookies, which ignore ports.
async function attack(group, how, server, evil, token) {
  const visitor = await group.visitor(server.base, { also: [evil] }), { page } = visitor;
  const before = state(server.vault);
  if (token) await logIn(visitor, token);
  for (const form of ["create", "undo", "logout", "login"]) {
    await group.check(`${how}: a foreign form (${form}) is refused`, page, async () => {
      visitor.gone = true; // the console reports refusals
      await page.goto(`${evil}/form?${form}`, { waitUntil: "domcontentloaded" });
      const answer = page.waitForResponse((response) => response.request().method() === "POST");
      await page.locator("button").click();
      assert.equal((await answer).status(), 403);
      assert.deepEqual(state(server.vault), before, "nothing has changed");
    });
  }
  await group.check(`${how}: foreign scripts read nothing and change nothing`, page, async () => {
    await page.goto(`${evil}/fetch`, { waitUntil: "domcontentloaded" });
    const results = await page.evaluate(() => window.results);
    assert.ok(results.length >= 8);
    for (const [what, outcome] of results) assert.match(outcome, /^(refused|opaque)$/, `${what}: ${outcome}`);
    assert.deepEqual(state(server.vault), before);
  });
  await group.check(`${how}: the page cannot be put into a frame`, page, async () => {
    await page.goto(`${evil}/frame`);
    const inside = page.frames().find((frame) => frame !== page.mainFrame());
    assert.ok(!(await inside.locator("body").innerText().catch(() => "")).includes("Overview"));
  });
  await group.check(`${how}: a foreign link may open the page, and changes nothing`, page, async () => {
    await page.goto(`${evil}/link`);
    await page.locator("a").click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.equal(new URL(page.url()).origin, server.base);
    assert.deepEqual(state(server.vault), before);
  });
  visitor.complaints = visitor.complaints.filter((complaint) => !/answered 403/.test(complaint));
  await group.check(`${how}: the visitor is still logged in`, page, async () => {
    visitor.gone = false;
    await visitor.goto("/");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });
}

// ownForms sends requests from the page's own origin, without the token of its forms.
async function ownForms(group, how, server, token) {
  const visitor = await group.visitor(server.base), { page } = visitor;
  if (token) await logIn(visitor, token);
  await visitor.goto("/tools/create_note");
  const before = state(server.vault), form = await page.locator("form.card [name=form]").inputValue();
  const post = (fields) => page.evaluate(async (body) => (await fetch("/tools/create_note", { method: "POST", body: new URLSearchParams(body) })).status, fields);
  await group.check(`${how}: a form without its token, or with a wrong one, is refused`, page, async () => {
    visitor.awaits(403, "/tools/create_note");
    for (const wrong of [undefined, "", "x", form.slice(1), form.toUpperCase(), form + "x"]) {
      const fields = { name: "Forged", content: "x", ...(wrong === undefined ? {} : { form: wrong }) };
      assert.equal(await post(fields), 403, `form=${wrong}`);
    }
    assert.deepEqual(state(server.vault), before);
  });
  await group.check(`${how}: the same form with its token is accepted`, page, async () => {
    assert.equal(await post({ name: "Genuine", content: "x", form }), 200);
    assert.ok(readFileSync(join(server.vault, "Genuine.md"), "utf8").startsWith("x"));
  });
  await group.check(`${how}: a GET changes nothing`, page, async () => {
    for (const path of ["/logout", "/undo"]) visitor.awaits(404, path);
    const after = state(server.vault);
    for (const path of ["/tools/create_note?name=Got&content=x&form=" + form, "/logout", "/changes/x/undo?form=" + form]) await page.evaluate((url) => fetch(url).then((answer) => answer.status), path);
    assert.deepEqual(state(server.vault), after);
  });
}

// state returns every file of a vault with its size and time.
function state(vault) {
  return readdirSync(vault, { recursive: true }).sort().map((name) => [name, statSync(join(vault, name)).size, statSync(join(vault, name)).mtimeMs]);
}

// evilSite serves pages that attack a server.
async function evilSite(target) {
  const forms = {
    create: `<form method=post action="${target}/tools/create_note"><input name=name value=Forged><input name=content value=x><button>go</button></form>`,
    undo: `<form method=post action="${target}/changes/x/undo"><input name=force value=true><button>go</button></form>`,
    logout: `<form method=post action="${target}/logout"><button>go</button></form>`,
    login: `<form method=post action="${target}/login"><input name=token value=mine><button>go</button></form>`,
  };
  const fetches = `<script>window.results = (async () => {
    const all = [];
    const body = new URLSearchParams({ name: "Forged", content: "x" });
    const tries = [["/", {}], ["/note?path=Home.md", {}], ["/now", { headers: { "HX-Request": "true" } }], ["/tools/create_note", { method: "POST", body }],
      ["/tools/create_note", { method: "POST", body: new Blob(["name=Forged&content=x"], { type: "text/plain" }) }], ["/tools/create_note", { method: "POST", body: new FormData() }],
      ["/mcp", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }], ["/livesync", { method: "POST", body }]];
    for (const [path, options] of tries) for (const mode of ["cors", "no-cors"]) {
      const { headers, ...simple } = options;
      const outcome = await fetch("${target}" + path, { ...(mode === "cors" ? options : simple), mode, credentials: "include" })
        .then((answer) => (answer.type === "opaque" ? "opaque" : "read " + answer.status), () => "refused");
      all.push([mode + " " + path, outcome]);
    }
    return all;
  })();</script>`;
  const site = createServer((request, response) => {
    const url = new URL(request.url, "http://evil");
    const page = { "/form": forms[url.search.slice(1)], "/fetch": fetches, "/frame": `<iframe src="${target}/"></iframe>`, "/link": `<a href="${target}/">free coffee</a>` }[url.pathname];
    response.writeHead(page ? 200 : 204, { "content-type": "text/html" }).end(page ? `<!doctype html><title>x</title>${page}` : undefined);
  });
  site.listen(0);
  await once(site, "listening");
  return { port: site.address().port, stop: async () => { site.closeAllConnections(); site.close(); } };
}

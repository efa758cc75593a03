// What pages are made of: nothing inline, nothing from elsewhere, headers that
// say so, and assets that are kept but never mistaken.
import assert from "node:assert/strict";
import { guest, places, served } from "../places.mjs";

export async function policy(group) {
  const server = await served(group);
  const visitor = await guest(group, server), { page } = visitor;
  const paths = [...new Set([...Object.values(places).filter((one) => !one.answers || one.first).map((one) => one.path), "/login", "/now"])];
  for (const path of paths) {
    await group.check(`${path} holds no inline script or style, and nothing from elsewhere`, async () => {
      assert.deepEqual(await page.evaluate(inlined, path), []);
    });
  }
  await group.check("ids are unique, and what refers to one finds it", async () => {
    for (const path of paths) assert.deepEqual(await page.evaluate(dangling, path), [], path);
  });
  await group.check("assets are kept for a year under names that change with them", async () => {
    const assets = await page.locator("link[rel=stylesheet], script[src], img[src]").evaluateAll((all) => all.map((one) => one.href ?? one.src));
    assert.ok(assets.length >= 4, assets.join());
    for (const asset of new Set(assets)) {
      const answer = await fetch(asset), { headers } = answer;
      assert.equal(answer.status, 200, asset);
      assert.match(headers.get("cache-control"), /immutable/, asset);
      assert.equal(headers.get("x-content-type-options"), "nosniff", asset);
      assert.match(headers.get("content-type"), /^(text\/css|text\/javascript|image\/svg\+xml)/, asset);
      assert.doesNotMatch((await fetch(asset.replace(/v=\w+/, "v=0"))).headers.get("cache-control") ?? "", /immutable/, "another version is not");
    }
    assert.equal((await fetch(`${server.base}/assets/..%2fweb.go`)).status, 404);
  });
  await group.check("all scripts together are small", async () => {
    const sizes = await page.locator("script[src]").evaluateAll((all) => Promise.all(all.map(async (one) => (await (await fetch(one.src)).text()).length)));
    assert.ok(sizes.reduce((sum, size) => sum + size) < 100_000, sizes.join());
  });
}

// inlined reads a page, in the browser, and lists what the policy would have to
// stop.
export async function inlined(path) {
  const page = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html");
  const bad = [...page.querySelectorAll("script:not([src]), style, [style], base, object, embed, iframe, frame, meta[http-equiv]")];
  for (const one of page.querySelectorAll("*")) {
    for (const { name, value } of one.attributes) {
      if (/^(on|data-hx|hx-on)/i.test(name) || (/^(href|action|xlink:href|src)$/i.test(name) && /^\s*(javascript|data|vbscript):/i.test(value))) bad.push(one);
      if (/^(src|srcset|poster|data|background)$/i.test(name) && !/^\/[^/]/.test(value)) bad.push(one);
    }
  }
  return bad.map((one) => one.outerHTML.slice(0, 200));
}

async function dangling(path) {
  const page = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html");
  const ids = [...page.querySelectorAll("[id]")].map((one) => one.id);
  const wrong = ids.filter((id, at) => ids.indexOf(id) !== at);
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
    for (const one of page.querySelectorAll(`[${name}]`)) wrong.push(...one.getAttribute(name).split(/\s+/).filter((id) => !ids.includes(id)));
  }
  for (const one of page.querySelectorAll("[data-copy]")) if (!page.querySelector(one.dataset.copy)) wrong.push(one.outerHTML);
  return wrong;
}

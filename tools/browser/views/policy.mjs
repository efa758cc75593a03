// Tests what pages consist of: nothing inline, nothing from other hosts, headers that forbid both, and assets that
// browsers cache by version.
import assert from "node:assert/strict";
import { guest, places, served } from "../places.mjs";

export async function policy(group) {
  const server = await served(group);
  const visitor = await guest(group, server), { page } = visitor;
  const paths = [...new Set([...Object.values(places).filter((place) => !place.answers || place.first).map((place) => place.path), "/login", "/now"])];
  for (const path of paths) {
    await group.check(`${path} has no inline script or style, and nothing from other hosts`, async () => {
      assert.deepEqual(await page.evaluate(inlined, path), []);
    });
  }
  await group.check("ids are unique, and references to them resolve", async () => {
    for (const path of paths) assert.deepEqual(await page.evaluate(dangling, path), [], path);
  });
  await group.check("assets are cached for a year, under versioned names", async () => {
    const assets = await page.locator("link[rel=stylesheet], script[src], img[src]").evaluateAll((all) => all.map((element) => element.href ?? element.src));
    assert.ok(assets.length >= 4, assets.join());
    for (const asset of new Set(assets)) {
      const answer = await fetch(asset), { headers } = answer;
      assert.equal(answer.status, 200, asset);
      assert.match(headers.get("cache-control"), /immutable/, asset);
      assert.equal(headers.get("x-content-type-options"), "nosniff", asset);
      assert.match(headers.get("content-type"), /^(text\/css|text\/javascript|image\/svg\+xml)/, asset);
      assert.doesNotMatch((await fetch(asset.replace(/v=\w+/, "v=0"))).headers.get("cache-control") ?? "", /immutable/, "another version is not cached");
    }
    assert.equal((await fetch(`${server.base}/assets/..%2fweb.go`)).status, 404);
  });
  await group.check("all scripts together are small", async () => {
    const sizes = await page.locator("script[src]").evaluateAll((all) => Promise.all(all.map(async (element) => (await (await fetch(element.src)).text()).length)));
    assert.ok(sizes.reduce((sum, size) => sum + size) < 100_000, sizes.join());
  });
}

// inlined reads a page, in the browser, and lists what the policy would have to block.
export async function inlined(path) {
  const page = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html");
  const bad = [...page.querySelectorAll("script:not([src]), style, [style], base, object, embed, iframe, frame, meta[http-equiv]")];
  for (const element of page.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (/^(on|data-hx|hx-on)/i.test(name) || (/^(href|action|xlink:href|src)$/i.test(name) && /^\s*(javascript|data|vbscript):/i.test(value))) bad.push(element);
      if (/^(src|srcset|poster|data|background)$/i.test(name) && !/^\/[^/]/.test(value)) bad.push(element);
    }
  }
  return bad.map((element) => element.outerHTML.slice(0, 200));
}

async function dangling(path) {
  const page = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html");
  const ids = [...page.querySelectorAll("[id]")].map((element) => element.id);
  const wrong = ids.filter((id, at) => ids.indexOf(id) !== at);
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
    for (const element of page.querySelectorAll(`[${name}]`)) wrong.push(...element.getAttribute(name).split(/\s+/).filter((id) => !ids.includes(id)));
  }
  for (const element of page.querySelectorAll("[data-copy]")) if (!page.querySelector(element.dataset.copy)) wrong.push(element.outerHTML);
  return wrong;
}

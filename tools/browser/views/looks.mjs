// Tests how every view looks, with screenshots and axe-core: in light and dark, on a desktop, on a phone, and on narrow
// screens.
import assert from "node:assert/strict";
import { join } from "node:path";
import { violations } from "../axe.mjs";
import { desktop, phone } from "../browser.mjs";
import { guest, places, served, visit } from "../places.mjs";

// looks tests one size of screen. In dark mode only colours differ, so only the rules about colours are checked.
const looks = (size, options) => async (group) => {
  const server = await served(group);
  const stranger = await group.visitor(server.base, options);
  await stranger.goto("/login");
  await judged(group, stranger, "login", size);
  const visitor = await guest(group, server, options);
  for (const name of Object.keys(places)) {
    await group.check(`${name} opens`, visitor.page, () => visit(visitor, name));
    await judged(group, visitor, name, size);
  }
};

export const looksDesktop = looks("desktop", { viewport: desktop });
export const looksPhone = looks("phone", { viewport: phone, touch: true });

async function judged(group, { page }, name, size) {
  const picture = (what) => page.screenshot({ path: join(group.pictures, `${name}-${what}.png`), fullPage: true });
  await picture(size === "phone" ? "phone" : "light");
  await group.check(`${name} is accessible`, async () => assert.deepEqual(await violations(page), []));
  await page.emulateMedia({ colorScheme: "dark" });
  if (size !== "phone") await picture("dark");
  await group.check(`${name} is readable in dark mode`, async () => assert.deepEqual(await violations(page, ["color-contrast", "link-in-text-block"]), []));
  await page.emulateMedia({ colorScheme: "light" });
}

// narrow tests that no view scrolls sideways at 320 pixels, or zoomed to 200 %.
export async function narrow(group) {
  const server = await served(group);
  const visitor = await guest(group, server), { page } = visitor;
  for (const name of Object.keys(places)) {
    await visit(visitor, name);
    for (const width of [320, 640]) {
      await group.check(`${name} fits ${width} pixels`, page, async () => {
        await page.setViewportSize({ width, height: 640 });
        const wide = await page.evaluate(tooWide);
        assert.deepEqual(wide, []);
      });
    }
    await page.setViewportSize(desktop);
  }
}

// tooWide lists elements that make a page wider than its window, except those that scroll within another element.
export function tooWide() {
  const most = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= most) return [];
  const scrolls = (element) => element && (getComputedStyle(element).overflowX !== "visible" || scrolls(element.parentElement));
  const wide = [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > most + 1 && !scrolls(element.parentElement));
  return [`the page is ${document.documentElement.scrollWidth} px wide`, ...wide.slice(-3).map((element) => `${Math.round(element.getBoundingClientRect().right)} px: ${element.outerHTML.slice(0, 120)}`)];
}

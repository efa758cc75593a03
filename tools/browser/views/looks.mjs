// How every view looks, to eyes and to a screen reader: pictures, and axe-core's
// judgement, in light and dark, on a desk and on a phone, and on narrow screens.
import assert from "node:assert/strict";
import { join } from "node:path";
import { violations } from "../axe.mjs";
import { desktop, phone } from "../browser.mjs";
import { guest, places, served, visit } from "../places.mjs";

// looks is a story for one size of screen. In the dark nothing but colours
// differs, so that the rules about them are enough there.
const looks = (size, options) => async (group) => {
  const server = await served(group);
  const stranger = await group.visitor(server.base, options);
  await stranger.goto("/login");
  await judged(group, stranger, "login", size);
  const visitor = await guest(group, server, options);
  for (const name of Object.keys(places)) {
    await group.check(`${name} can be reached`, visitor.page, () => visit(visitor, name));
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
  await group.check(`${name} is readable in the dark`, async () => assert.deepEqual(await violations(page, ["color-contrast", "link-in-text-block"]), []));
  await page.emulateMedia({ colorScheme: "light" });
}

// narrow: at 320 pixels, or zoomed to 200 %, nobody has to scroll sideways.
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

// tooWide tells what makes a page wider than its window: not what scrolls within
// something else.
export function tooWide() {
  const most = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= most) return [];
  const scrolls = (one) => one && (getComputedStyle(one).overflowX !== "visible" || scrolls(one.parentElement));
  const wide = [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > most + 1 && !scrolls(one.parentElement));
  return [`the page is ${document.documentElement.scrollWidth} px wide`, ...wide.slice(-3).map((one) => `${Math.round(one.getBoundingClientRect().right)} px: ${one.outerHTML.slice(0, 120)}`)];
}

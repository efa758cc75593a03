// Tests the keyboard: Tab reaches everything, and the focus is visible. With reduced motion, nothing moves.
import assert from "node:assert/strict";
import { guest, places, served, visit } from "../places.mjs";

export async function keyboard(group) {
  const server = await served(group);
  const visitor = await guest(group, server), { page } = visitor;
  await group.check("the first stop skips to the content", page, async () => {
    await visitor.goto("/tools");
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to content" });
    assert.ok(await skip.evaluate((element) => element === document.activeElement));
    assert.ok((await skip.boundingBox()).x >= 0, "it is visible");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.querySelector("main").contains(document.activeElement)));
  });
  for (const name of Object.keys(places)) {
    await group.check(`${name}: Tab reaches everything, and the focus is visible`, page, async () => {
      await visit(visitor, name);
      await page.evaluate(() => {
        document.activeElement.blur();
        scrollTo(0, 0);
        getSelection().removeAllRanges();
      });
      const missed = await walked(page);
      assert.deepEqual(missed, []);
    });
    await group.check(`${name}: nothing moves`, page, async () => {
      const moving = await page.locator("body *").evaluateAll((all) => all.filter((element) => {
        const { transitionDuration, animationName } = getComputedStyle(element);
        return animationName !== "none" || transitionDuration.split(", ").some((time) => parseFloat(time) > 0.01);
      }).slice(0, 3).map((element) => element.outerHTML.slice(0, 120)));
      assert.deepEqual(moving, []);
    });
  }
}

// walked presses Tab until the focus is back at the start. It returns what was not reached, and where the focus was not
// visible.
async function walked(page) {
  const stops = await page.evaluate(() => {
    const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled && element.tabIndex >= 0);
    window.stops = new Set(all);
    window.unseen = [];
    document.addEventListener("focusin", ({ target }) => {
      window.stops.delete(target);
      const { outlineStyle, outlineWidth } = getComputedStyle(target), shape = target.querySelector(".shape"); // a note in the graph gets an outline
      if (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) return;
      if (!shape || parseFloat(getComputedStyle(shape).strokeWidth) < 3) window.unseen.push(target.outerHTML.slice(0, 120));
    });
    return all.length;
  });
  for (let pressed = 0; pressed <= stops + 2; pressed++) await page.keyboard.press("Tab");
  return page.evaluate(() => [...[...window.stops].map((element) => `not reached: ${element.outerHTML.slice(0, 120)}`), ...window.unseen.map((element) => `not seen: ${element}`)].slice(0, 5));
}

// With a keyboard alone: everything is reached, in order, and it can be seen
// where one is. Nothing moves for those who do not want it.
import assert from "node:assert/strict";
import { guest, places, served, visit } from "../places.mjs";

export async function keyboard(group) {
  const server = await served(group);
  const visitor = await guest(group, server), { page } = visitor;
  await group.check("the first stop leads to the content", page, async () => {
    await visitor.goto("/tools");
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to content" });
    assert.ok(await skip.evaluate((one) => one === document.activeElement));
    assert.ok((await skip.boundingBox()).x >= 0, "it is seen");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.querySelector("main").contains(document.activeElement)));
  });
  for (const name of Object.keys(places)) {
    await group.check(`${name}: Tab reaches everything, and it is seen`, page, async () => {
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
      const moving = await page.locator("body *").evaluateAll((all) => all.filter((one) => {
        const { transitionDuration, animationName } = getComputedStyle(one);
        return animationName !== "none" || transitionDuration.split(", ").some((time) => parseFloat(time) > 0.01);
      }).slice(0, 3).map((one) => one.outerHTML.slice(0, 120)));
      assert.deepEqual(moving, []);
    });
  }
}

// walked presses Tab until the round is over, and tells what was not reached and
// where one could not see it.
async function walked(page) {
  const stops = await page.evaluate(() => {
    const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0);
    window.stops = new Set(all);
    window.unseen = [];
    document.addEventListener("focusin", ({ target }) => {
      window.stops.delete(target);
      const { outlineStyle, outlineWidth } = getComputedStyle(target), shape = target.querySelector(".shape"); // a note in the graph gets an edge
      if (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) return;
      if (!shape || parseFloat(getComputedStyle(shape).strokeWidth) < 3) window.unseen.push(target.outerHTML.slice(0, 120));
    });
    return all.length;
  });
  for (let pressed = 0; pressed <= stops + 2; pressed++) await page.keyboard.press("Tab");
  return page.evaluate(() => [...[...window.stops].map((one) => `not reached: ${one.outerHTML.slice(0, 120)}`), ...window.unseen.map((one) => `not seen: ${one}`)].slice(0, 5));
}

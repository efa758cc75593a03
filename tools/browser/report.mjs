// Counts what was checked, a group at a time, and says what was not as it
// should be.
import { join } from "node:path";
import { Visitor } from "./browser.mjs";
import { client, serve } from "./server.mjs";

// Group is a story: servers and visitors of its own, checks in order. A check
// that fails is noted, and the story goes on.
export class Group {
  checks = 0;
  failures = [];
  #ends = [];

  constructor(name, pictures) {
    this.name = name;
    this.pictures = pictures;
  }

  async server(options) {
    const server = await serve(options);
    this.#ends.push(server.stop);
    return server;
  }

  async client(base, token) {
    const made = await client(base, token);
    this.#ends.push(made.close);
    return made;
  }

  // visitor is somebody with a browser of their own, who may see origin alone.
  async visitor(origin, options) {
    const visitor = await Visitor.open(origin, options);
    this.#ends.push(async () => {
      const complaints = await visitor.close();
      if (complaints.length > 0) this.failures.push(`the browser complained:\n${complaints.join("\n")}`);
    });
    return visitor;
  }

  // until has something else end with the group.
  until(end) {
    this.#ends.push(end);
  }

  // check notes whether something is so; a visitor's page is photographed where
  // it is not.
  async check(what, page, body) {
    if (typeof page === "function") [body, page] = [page, undefined];
    this.checks++;
    try {
      await body();
    } catch (error) {
      const picture = page && join(this.pictures, `failed-${this.name}-${this.checks}.png`.replace(/[^\w.-]+/g, "-"));
      if (picture) await page.screenshot({ path: picture }).catch(() => {});
      this.failures.push(`${what}\n${error.message}${picture ? `\npicture: ${picture}` : ""}`);
    }
  }

  // run tells the story, and ends whatever it began.
  async run(story) {
    const begun = performance.now();
    try {
      await story(this);
    } catch (error) {
      this.failures.push(error.stack);
    }
    for (const end of this.#ends.reverse()) await end().catch((error) => this.failures.push(error.stack));
    this.print((performance.now() - begun) / 1000);
  }

  print(seconds) {
    const mark = this.failures.length > 0 ? "FAILED" : "ok    ";
    console.log(`${mark}  ${this.name.padEnd(24)} ${String(this.checks).padStart(3)} checks ${seconds.toFixed(1).padStart(5)} s`);
    for (const failure of this.failures) console.log(failure.replace(/^/gm, "          "));
  }
}

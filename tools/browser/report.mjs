// Runs groups of checks, and reports failures.
import { join } from "node:path";
import { Visitor } from "./browser.mjs";
import { client, serve } from "./server.mjs";

// Group is a group of checks with its own servers and visitors. After a failed check the group continues.
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
    const connected = await client(base, token);
    this.#ends.push(connected.close);
    return connected;
  }

  // visitor opens a browser context that may send requests to origin only.
  async visitor(origin, options) {
    const visitor = await Visitor.open(origin, options);
    this.#ends.push(async () => {
      const complaints = await visitor.close();
      if (complaints.length > 0) this.failures.push(`the browser complained:\n${complaints.join("\n")}`);
    });
    return visitor;
  }

  // until registers a function to call when the group ends.
  until(end) {
    this.#ends.push(end);
  }

  // check runs a check. If it fails and a page is given, it saves a screenshot.
  async check(name, page, body) {
    if (typeof page === "function") [body, page] = [page, undefined];
    this.checks++;
    try {
      await body();
    } catch (error) {
      const picture = page && join(this.pictures, `failed-${this.name}-${this.checks}.png`.replace(/[^\w.-]+/g, "-"));
      if (picture) await page.screenshot({ path: picture }).catch(() => {});
      this.failures.push(`${name}\n${error.message}${picture ? `\npicture: ${picture}` : ""}`);
    }
  }

  // run runs the checks, and stops everything that they started.
  async run(checks) {
    const begun = performance.now();
    try {
      await checks(this);
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

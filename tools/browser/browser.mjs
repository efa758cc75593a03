// A visitor of the page: a browser context that records everything that must not happen: errors and warnings on the
// console, script errors, requests that fail or go to other hosts, dialogs, and responses without the policy.
import { chromium as driver } from "playwright-core";

export const desktop = { width: 1280, height: 800 }, phone = { width: 390, height: 844 };

// policy has the directives of the content security policy that every page must have.
const policy = {
  "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'", "connect-src": "'self'",
  "form-action": "'self'", "base-uri": "'none'", "frame-ancestors": "'none'",
};

// late is the maximum random delay of each request in milliseconds. It makes checks fail that do not wait for what they
// need.
const late = Number(process.env.LATE ?? 0);

let browser;

export const chromium = {
  async start() {
    const flags = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb"];
    browser = await driver.launch({ executablePath: process.env.CHROMIUM, chromiumSandbox: process.getuid?.() !== 0, args: flags });
    return browser.version();
  },
  stop: () => browser.close(),
};

export class Visitor {
  complaints = [];
  gone = false; // set once the server is expected not to answer
  requests = [];
  #awaited = [];
  #reading = [];

  // open creates a visitor of an origin. Options: viewport, touch, dark, reducedMotion, scripts (false to disable them),
  // also (other origins that requests may go to).
  static async open(origin, { viewport = desktop, touch = false, dark = false, reducedMotion = "reduce", scripts = true, also = [] } = {}) {
    const visitor = new Visitor();
    visitor.origin = origin;
    visitor.scripts = scripts;
    visitor.origins = [origin, ...also].map((url) => new URL(url).origin);
    visitor.context = await browser.newContext({
      viewport, hasTouch: touch, isMobile: touch, colorScheme: dark ? "dark" : "light", reducedMotion, javaScriptEnabled: scripts,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    visitor.context.setDefaultTimeout(60_000);
    await visitor.context.route((url) => !visitor.#known(url), (route) => route.abort("blockedbyclient"));
    if (late > 0) await visitor.context.route((url) => visitor.#known(url), (route) => setTimeout(() => route.continue().catch(() => {}), Math.random() * late));
    visitor.context.on("page", (page) => visitor.#watch(page));
    visitor.page = await visitor.context.newPage();
    return visitor;
  }

  // goto opens a path of the page, and returns the response. Deferred scripts wait for the page's styles, and so does
  // DOMContentLoaded; without scripts only the load event shows that the styles are loaded.
  async goto(path) {
    return this.page.goto(this.origin + path, { waitUntil: this.scripts ? "domcontentloaded" : "load" });
  }

  // awaits declares that a response with this status is expected. If none arrives, that is a complaint.
  awaits(status, path) {
    this.#awaited.push({ status, path, seen: false });
  }

  async close() {
    await Promise.all(this.#reading);
    await this.context.close();
    for (const { status, path, seen } of this.#awaited) if (!seen) this.complaints.push(`${path} never responded ${status}`);
    return this.complaints;
  }

  #known(url) {
    return this.origins.includes(url.origin) || url.protocol === "about:" || url.protocol === "blob:";
  }

  #watch(page) {
    page.on("console", (message) => this.#onConsole(message));
    page.on("pageerror", (error) => this.complaints.push(`script error: ${error.message}`));
    page.on("dialog", async (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
    page.on("request", (request) => this.#onRequest(request));
    page.on("requestfailed", (request) => {
      const why = request.failure().errorText;
      if (why !== "net::ERR_ABORTED" && !this.gone) this.complaints.push(`${request.url()} failed: ${why}`); // leaving a page aborts what it is still loading
    });
    page.on("response", (response) => this.#onResponse(response));
  }

  #onConsole(message) {
    const where = message.location().url;
    if (this.gone || !["error", "warning"].includes(message.type())) return;
    if (/^Failed to load resource: the server responded with a status of/.test(message.text())) return; // #onResponse reports it
    this.complaints.push(`console: ${message.text()} (${where})`);
  }

  #onRequest(request) {
    const url = new URL(request.url());
    this.requests.push(url.href);
    if (!this.#known(url)) this.complaints.push(`request to another host: ${url.href}`);
  }

  #onResponse(response) {
    const url = new URL(response.url()), status = response.status();
    if (status >= 400) {
      const awaited = this.#awaited.filter((expected) => expected.status === status && url.pathname.endsWith(expected.path));
      for (const expected of awaited) expected.seen = true;
      if (awaited.length === 0) this.complaints.push(`${response.request().method()} ${url.pathname}${url.search} answered ${status}`);
    }
    if (url.origin === new URL(this.origin).origin) this.#reading.push(this.#headers(response, url).catch(() => {})); // fails if the page was left meanwhile
  }

  async #headers(response, url) {
    const headers = await response.allHeaders();
    if (!/^text\/html/.test(headers["content-type"] ?? "")) return;
    const sent = Object.fromEntries((headers["content-security-policy"] ?? "").split(/;\s*/).map((directive) => directive.split(/\s+(.*)/s)));
    for (const [directive, want] of Object.entries(policy)) {
      if (sent[directive] !== want) this.complaints.push(`${url.pathname}: the policy has ${directive} ${sent[directive]}, want ${want}`);
    }
    for (const [name, want] of Object.entries({ "x-content-type-options": /^nosniff$/, "referrer-policy": /^(no-referrer|same-origin)$/, "cache-control": /no-store/ })) {
      if (!want.test(headers[name] ?? "")) this.complaints.push(`${url.pathname}: ${name} is ${headers[name]}`);
    }
  }
}

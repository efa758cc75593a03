// Tests the forms of the tools: their answers, their changes, and what can be copied.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

// tools tests forms and answers.
export async function tools(group) {
  const server = await group.server({ settings: { OBSIDIAN_MCP_CONFIRM_OVER: "3", OBSIDIAN_MCP_TOOLSETS: "all" } });
  const client = await group.client(server.base);
  const visitor = await group.visitor(server.base), { page } = visitor;
  const offered = (await client.list()).tools;
  const open = (name) => visitor.goto(`/tools/${name}`);
  const fill = async (values) => {
    for (const [name, value] of Object.entries(values)) await page.locator(`#field-${name}`).fill(value);
  };
  const run = async () => {
    const answered = page.waitForResponse((answer) => answer.request().method() === "POST");
    await page.getByRole("button", { name: /^Run/ }).click();
    await answered;
    await page.getByRole("heading", { name: "Result" }).waitFor();
  };

  await group.check("every tool that clients can call is listed", page, async () => {
    await visitor.goto("/tools");
    const listed = await page.locator(".tools code").allInnerTexts();
    assert.deepEqual(listed.sort(), offered.map((tool) => tool.name).sort());
    assert.ok(listed.length >= 34, `${listed.length} tools`);
  });
  const forms = await page.evaluate(parsedForms, offered.map((tool) => tool.name));
  for (const [at, { name, title, inputSchema, annotations }] of offered.entries()) {
    await group.check(`${name} has a form with every parameter`, async () => {
      const { heading, fields, button } = forms[at];
      assert.equal(heading, title);
      assert.deepEqual(fields.map((field) => field.name).sort(), Object.keys(inputSchema.properties ?? {}).sort());
      for (const field of fields) assert.ok(field.label && field.help, `${field.name} has a label and help`);
      assert.deepEqual(fields.filter((field) => /required$/.test(field.label)).map((field) => field.name).sort(), (inputSchema.required ?? []).toSorted());
      assert.equal(button, annotations.readOnlyHint ? "Run" : "Run, and change the vault");
    });
  }
  await reading(group, visitor, { open, fill, run, client });
  await writing(group, visitor, { open, fill, run, vault: server.vault });
  await group.check("if a call fails on the network, no earlier result is shown", page, async () => {
    await open("append_note");
    await fill({ name: "Home", text: "heard" });
    await run();
    visitor.gone = true;
    await server.stop();
    await fill({ text: "not heard" });
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.locator("#result").getByRole("alert").filter({ hasText: "does not answer" }).waitFor();
    assert.equal(await page.locator("#answer").count(), 0);
  });
}

// parsedForms reads the pages of tools in the browser: the labels, help texts and buttons of each form.
async function parsedForms(names) {
  const pages = await Promise.all(names.map(async (name) => new DOMParser().parseFromString(await (await fetch(`/tools/${name}`)).text(), "text/html")));
  return pages.map((page) => ({
    heading: page.querySelector("h1").textContent,
    button: page.querySelector("form.card button").textContent,
    fields: [...page.querySelectorAll("form.card [name]:not([type=hidden])")].map((element) => ({
      name: element.name, label: element.labels[0]?.textContent.trim(), help: page.getElementById(element.getAttribute("aria-describedby"))?.textContent.trim(),
    })),
  }));
}

async function reading(group, visitor, { open, fill, run, client }) {
  const { page } = visitor;
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await group.check("a reading tool gives the same answer as to a client", page, async () => {
    await open("find_notes");
    await fill({ query: "rehearse rollback", limit: "3" });
    await run();
    const shown = JSON.parse(await page.locator("#answer").innerText());
    const same = await client.call("find_notes", { query: "rehearse rollback", limit: 3 });
    assert.deepEqual(shown.notes.map((note) => note.path), same.structuredContent.notes.map((note) => note.path));
    assert.ok(shown.notes.length > 0);
    assert.equal(new URL(page.url()).pathname, "/tools/find_notes", "the page stayed");
    assert.equal(await page.locator("#field-query").inputValue(), "rehearse rollback", "the entered text stayed");
  });
  await group.check("result and request can be copied as valid JSON", page, async () => {
    await page.getByRole("button", { name: "Copy result" }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    const copied = await clipboard();
    assert.equal(copied, await page.locator("#answer").textContent());
    assert.ok(JSON.parse(copied).notes.length > 0);
    await page.getByRole("button", { name: "Copy request" }).click();
    await page.waitForFunction((before) => navigator.clipboard.readText().then((now) => now !== before), copied);
    const request = JSON.parse(await clipboard());
    assert.deepEqual([request.method, request.params.name], ["tools/call", "find_notes"]);
    assert.deepEqual([request.params.arguments.query, request.params.arguments.limit], ["rehearse rollback", 3]);
    const again = await client.call(request.params.name, request.params.arguments);
    assert.ok(!again.isError, "a client can send what was copied");
  });
  await group.check("a text answer is shown unchanged", page, async () => {
    await open("read_note");
    await fill({ name: "Home" });
    await run();
    const direct = await client.call("read_note", { name: "Home" });
    assert.ok(direct.content[0].text.startsWith((await page.locator("#answer").textContent()).slice(0, 200)));
  });
  await group.check("an error says what was wrong", page, async () => {
    await open("read_note");
    await fill({ name: "no such note" });
    visitor.awaits(404, "/tools/read_note");
    await run();
    assert.match(await page.getByRole("alert").innerText(), /Note 'no such note' not found/);
    assert.equal(await page.getByRole("button", { name: "Copy result" }).count(), 0);
  });
  await group.check("a required field cannot be left empty", page, async () => {
    await open("read_note");
    await page.getByRole("button", { name: /^Run/ }).click();
    assert.ok(await page.locator("#field-name:invalid").count(), "the browser asks for it");
  });
}

async function writing(group, visitor, { open, fill, run, vault }) {
  const { page } = visitor;
  const note = (path) => readFileSync(join(vault, path), "utf8");
  await group.check("a writing tool changes the file exactly as typed", page, async () => {
    await open("create_note");
    await fill({ name: "Tries/Größe & mehr", content: "# One\n\ntwo & <i>three</i>\n" });
    await run();
    assert.equal(note("Tries/Größe & mehr.md").trim(), "# One\n\ntwo & <i>three</i>");
    assert.equal(await page.locator("#result b, #result i").count(), 0, "markup stays text");
  });
  await group.check("an empty value is passed on", page, async () => {
    await open("set_frontmatter");
    await fill({ name: "Roadmap", key: "reviewer", value: "Ada" });
    await run();
    assert.match(note("Roadmap.md"), /^reviewer: Ada$/m);
    await open("set_frontmatter");
    await fill({ name: "Roadmap", key: "reviewer", value: "" });
    await run();
    assert.match(note("Roadmap.md"), /^reviewer: ""$/m);
  });
  await group.check("a double click makes one change", page, async () => {
    await open("append_note");
    await fill({ name: "Roadmap", text: "clicked twice" });
    await page.getByRole("button", { name: /^Run/ }).dblclick();
    await page.locator("#answer").waitFor();
    await page.waitForFunction(() => !document.querySelector(".htmx-request"));
    assert.equal(note("Roadmap.md").split("clicked twice").length, 2);
  });
  await group.check("a text that is too long is refused with an explanation", page, async () => {
    await open("append_note");
    await fill({ name: "Roadmap", text: "ä".repeat(1_500_000) });
    visitor.awaits(413, "/tools/append_note");
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.locator("#result").getByRole("alert").filter({ hasText: "longer than" }).waitFor();
    assert.equal(await page.locator("#answer").count(), 0);
  });
  await group.check("a large change needs a confirmation", page, async () => {
    await open("rename_note");
    await fill({ old_name: "Launch", new_name: "Archive/Landed" });
    visitor.awaits(422, "/tools/rename_note");
    await run();
    assert.ok(existsSync(join(vault, "Projects/Launch.md")), "nothing has changed yet");
    assert.match(await page.getByRole("alert").innerText(), /This changes \d+ notes/);
    await page.getByRole("button", { name: "Yes, go on" }).click();
    await page.locator("#answer").waitFor();
    assert.ok(existsSync(join(vault, "Archive/Landed.md")) && !existsSync(join(vault, "Projects/Launch.md")));
    assert.match(note("Home.md"), /\[\[(Archive\/)?Landed/, "links follow");
  });
  await group.check("changes made here are listed with their author", page, async () => {
    await page.goto(new URL("/changes", page.url()).href);
    assert.match(await page.locator(".changes li").first().innerText(), /web page[^]*rename_note/);
  });
}

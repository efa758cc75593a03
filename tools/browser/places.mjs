// Lists every view, in an interesting state, for the checks that visit all of them.
import { conflicting, offered } from "./views/conflicts.mjs";
import { logIn, owner } from "./views/login.mjs";

const tokens = [
  { name: "phone", secret: "one-more-token-for-these-checks", read_only: true, allow: ["Projects/", "Notes/"] },
  { name: "assistant", secret: "and-yet-another-for-these-checks", deny: ["Journal/"], toolsets: ["notes", "find"], expires: "2031-01-01T00:00:00Z" },
  { name: "old laptop", secret: "and-the-last-one-for-these-checks", expires: "2025-01-01T00:00:00Z" },
];

// served returns a server that has already handled calls and changes.
export async function served(group) {
  const server = await group.server({ vault: conflicting(), settings: { OBSIDIAN_MCP_TOKEN: owner, ...offered }, tokens });
  const client = await group.client(server.base, owner);
  for (const query of ["rollback", "tide", "shelf", "soup"]) await client.call("find_notes", { query });
  await client.call("read_note", { name: "no such note" });
  await client.call("append_section", { name: "Launch", section: "Log", text: "- 2026-11-16 the page was looked at" });
  await client.call("create_note", { name: "Notes/Mooring lines", content: "# Mooring lines\n\nA spring keeps a boat from surging. See [[Checklists]]." });
  await client.call("rename_note", { old_name: "Kitchen shelf", new_name: "Projects/Kitchen shelves" });
  return server;
}

// guest returns a visitor who is logged in to such a server.
export async function guest(group, server, options) {
  const visitor = await group.visitor(server.base, options);
  await logIn(visitor, owner);
  return visitor;
}

const press = async (page, name, then) => {
  await page.getByRole("button", { name }).click();
  await page.locator(then).first().waitFor();
};

// places are the views by name: the path of each, and what to do there first.
export const places = {
  overview: { path: "/" },
  today: { path: "/today?date=2026-11-13" },
  tasks: { path: "/tasks" },
  query: { path: "/query?q=" + encodeURIComponent("TABLE file.tags, file.mday FROM \"Projects\" SORT file.name") },
  "query-refused": { path: "/query?q=TABEL", answers: 422 },
  search: { path: "/search?q=rollback" },
  note: { path: "/note?path=Projects/Launch.md" },
  "note-safe": { path: "/note?path=Safe%20previews.md" },
  graph: { path: "/graph?note=Launch" },
  health: { path: "/health" },
  changes: { path: "/changes" },
  change: { path: "/changes", first: async ({ page }) => {
    await page.locator(".changes .what > a").nth(2).click();
    await page.locator("pre.diff").waitFor();
  } },
  "changes-chosen": { path: "/changes", answers: 403, at: "/changes/undo", first: async ({ page }) => {
    for (const box of await page.getByRole("checkbox").all()) await box.check();
    await page.locator("#several [name=form]").evaluate((element) => { element.value = "from an earlier server"; });
    await press(page, "Undo the chosen changes", "[role=alert]");
  } },
  conflicts: { path: "/conflicts" },
  conflict: { path: "/conflict?note=Home.md" },
  tools: { path: "/tools" },
  tool: { path: "/tools/find_notes?query=tide&limit=2", first: ({ page }) => press(page, /^Run/, "#answer") },
  "tool-refused": { path: "/tools/read_note?name=Nowhere", answers: 404, first: ({ page }) => press(page, /^Run/, "[role=alert]") },
  connect: { path: "/connect" },
  livesync: { path: "/livesync", first: async ({ page }) => {
    for (const [name, value] of Object.entries({ url: "http://127.0.0.1:9", database: "notes", user: "admin", password: "x" })) await page.locator(`#${name}`).fill(value);
    await press(page, "Test the connection", "#checks li");
  } },
  access: { path: "/access" },
  problem: { path: "/changes/nothing-of-the-kind", answers: 404 },
};

// visit opens a view.
export async function visit(visitor, name) {
  const { path, answers, at, first } = places[name];
  if (answers) visitor.awaits(answers, at ?? path.replace(/\?.*/, ""));
  await visitor.goto(path);
  await first?.(visitor);
  await visitor.page.waitForLoadState("load");
}

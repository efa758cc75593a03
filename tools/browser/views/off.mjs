// Tests that without the page, only the server for clients is left.
import assert from "node:assert/strict";

export async function off(group) {
  const server = await group.server({ settings: { OBSIDIAN_MCP_PAGE: "off" } });
  for (const path of ["/", "/search", "/assets/page.js", "/login", "/tools/read_note", "/file?path=Home.md", "/now"]) {
    await group.check(`${path} does not exist`, async () => {
      const answer = await fetch(server.base + path);
      assert.equal(answer.status, 404);
      assert.match(answer.headers.get("content-type"), /^application\/json/);
      assert.equal((await answer.json()).error, "not_found");
    });
  }
  await group.check("clients are still served", async () => {
    const client = await group.client(server.base);
    assert.ok((await client.list()).tools.length > 20);
  });
}

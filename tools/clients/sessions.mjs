// Tests of HTTP only: a client loses its connection and continues, ends its session, or has no token.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { check } from "./checks.mjs";

// trySessions tests a session from its first stream to its end.
export async function trySessions(over, url, requestInit, vault) {
  const line = cuttable();
  const reconnectionOptions = { initialReconnectionDelay: 20, maxReconnectionDelay: 1000, reconnectionDelayGrowFactor: 2, maxRetries: 5 };
  const transport = new StreamableHTTPClientTransport(url, { requestInit, fetch: line.fetch, reconnectionOptions });
  const client = new Client({ name: "check", version: "1" });
  await client.connect(transport);

  await check(`TypeScript SDK over ${over}: a client that lost its connection continues where it was`, async () => {
    await client.callTool({ name: "create_note", arguments: { name: "checks/Cut", content: "old" } });
    const { uri } = (await client.listResources()).resources.find((resource) => resource.title === "Cut");
    await client.subscribeResource({ uri });
    const updates = queue();
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updates.put(params.uri));
    writeFileSync(join(vault, "checks/Cut.md"), "new");
    assert.equal(await updates.next(), uri);
    line.cut();
    writeFileSync(join(vault, "checks/Cut.md"), "newer");
    assert.equal(await updates.next(), uri);
    assert.ok(line.streams > 1 && line.lastEventID, "it reconnected with the id of the last event");
    await client.callTool({ name: "delete_note", arguments: { name: "Cut" } });
  });
  await check(`TypeScript SDK over ${over}: a session that the client has ended is gone`, async () => {
    const { sessionId } = transport;
    assert.match(sessionId, /^[\x21-\x7e]{16,}$/);
    await transport.terminateSession();
    const headers = { ...requestInit.headers, "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-session-id": sessionId };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) });
    assert.equal(answer.status, 404);
  });
  await client.close();
}

// cuttable returns a fetch whose long-lived stream can be cut.
function cuttable() {
  const line = { streams: 0, lastEventID: undefined, cut: undefined };
  line.fetch = (url, init) => {
    if (init?.method !== "GET") return fetch(url, init);
    const cutting = new AbortController();
    line.streams++;
    line.lastEventID = new Headers(init.headers).get("last-event-id");
    line.cut = () => cutting.abort();
    return fetch(url, { ...init, signal: AbortSignal.any([init.signal, cutting.signal]) });
  };
  return line;
}

// queue passes items on in order.
function queue() {
  const items = [], waiting = [];
  return {
    put: (item) => (waiting.length > 0 ? waiting.shift()(item) : items.push(item)),
    next: () => (items.length > 0 ? Promise.resolve(items.shift()) : new Promise((resolve) => waiting.push(resolve))),
  };
}

// tryWithoutToken connects without the token that the server requires.
export async function tryWithoutToken(base) {
  await check("TypeScript SDK over HTTP: a client without a token is refused", async () => {
    const client = new Client({ name: "check", version: "1" });
    await assert.rejects(client.connect(new StreamableHTTPClientTransport(new URL("/mcp", base))), { code: 401 });
  });
  await check("TypeScript SDK over SSE: a client without a token is refused", async () => {
    const client = new Client({ name: "check", version: "1" });
    await assert.rejects(client.connect(new SSEClientTransport(new URL("/sse", base))), { code: 401 });
  });
  await check("a wrong token is refused, and the response names the scheme", async () => {
    const answer = await fetch(new URL("/mcp", base), { method: "POST", headers: { authorization: "Bearer wrong" }, body: "{}" });
    assert.equal(answer.status, 401);
    assert.match(answer.headers.get("www-authenticate"), /^Bearer /);
  });
}

// What only a client over HTTP can do: be cut off and come back, end its
// session, be turned away.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { check } from "./checks.mjs";

// trySessions tries a session from its first stream to its end.
export async function trySessions(over, url, requestInit, vault) {
  const line = cuttable();
  const reconnectionOptions = { initialReconnectionDelay: 20, maxReconnectionDelay: 1000, reconnectionDelayGrowFactor: 2, maxRetries: 5 };
  const transport = new StreamableHTTPClientTransport(url, { requestInit, fetch: line.fetch, reconnectionOptions });
  const client = new Client({ name: "check", version: "1" });
  await client.connect(transport);

  await check(`TypeScript SDK over ${over}: a client that was cut off goes on where it was`, async () => {
    await client.callTool({ name: "create_note", arguments: { name: "checks/Cut", content: "old" } });
    const { uri } = (await client.listResources()).resources.find((one) => one.title === "Cut");
    await client.subscribeResource({ uri });
    const told = queue();
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told.put(params.uri));
    writeFileSync(join(vault, "checks/Cut.md"), "new");
    assert.equal(await told.next(), uri);
    line.cut();
    writeFileSync(join(vault, "checks/Cut.md"), "newer");
    assert.equal(await told.next(), uri);
    assert.ok(line.streams > 1 && line.lastEventID, "it came back and said what it had heard");
    await client.callTool({ name: "delete_note", arguments: { name: "Cut" } });
  });
  await check(`TypeScript SDK over ${over}: a session that the client ended is over`, async () => {
    const { sessionId } = transport;
    assert.match(sessionId, /^[\x21-\x7e]{16,}$/);
    await transport.terminateSession();
    const headers = { ...requestInit.headers, "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-session-id": sessionId };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) });
    assert.equal(answer.status, 404);
  });
  await client.close();
}

// cuttable is a fetch whose standing stream can be cut off.
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

// queue hands things on in their order.
function queue() {
  const things = [], waiting = [];
  return {
    put: (thing) => (waiting.length > 0 ? waiting.shift()(thing) : things.push(thing)),
    next: () => (things.length > 0 ? Promise.resolve(things.shift()) : new Promise((resolve) => waiting.push(resolve))),
  };
}

// tryWithoutToken tries to get in without the token that the server wants.
export async function tryWithoutToken(base) {
  await check("TypeScript SDK over HTTP: without the token nobody gets in", async () => {
    const client = new Client({ name: "check", version: "1" });
    await assert.rejects(client.connect(new StreamableHTTPClientTransport(new URL("/mcp", base))), { code: 401 });
  });
  await check("TypeScript SDK over SSE: without the token nobody gets in", async () => {
    const client = new Client({ name: "check", version: "1" });
    await assert.rejects(client.connect(new SSEClientTransport(new URL("/sse", base))), { code: 401 });
  });
  await check("a wrong token is refused, and the answer says what is wanted", async () => {
    const answer = await fetch(new URL("/mcp", base), { method: "POST", headers: { authorization: "Bearer wrong" }, body: "{}" });
    assert.equal(answer.status, 401);
    assert.match(answer.headers.get("www-authenticate"), /^Bearer /);
  });
}

// A reverse proxy that serves a server below a path, as on a host name that several services share.
import { once } from "node:events";
import { createServer, request } from "node:http";

// proxy listens on a free port; to() sets the server behind it. It records requests outside of the prefix, and responds
// 418 to them.
export async function proxy(prefix) {
  const strays = [];
  let target;
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url.startsWith(`${prefix}/`) ? incoming.url.slice(prefix.length) : undefined;
    if (path === undefined) {
      strays.push(incoming.url);
      outgoing.writeHead(418).end();
      return;
    }
    const onward = request(new URL(target), { path, method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}${prefix}`,
    strays,
    to: (base) => { target = base; },
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

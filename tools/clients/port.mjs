// Finds a free port.
import { once } from "node:events";
import { createServer } from "node:net";

// freePort returns the wanted port, or any other if that one is taken; 0 means any.
export async function freePort(wanted = 0) {
  const probe = createServer();
  const opened = once(probe, "listening");
  probe.listen(wanted, "127.0.0.1");
  const open = await opened.then(() => true, () => false);
  if (!open) return freePort();
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

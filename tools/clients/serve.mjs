// Starts the program as an HTTP server on a free port.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "./port.mjs";

// serve starts a server and waits until it is ready. stop ends it, and checks its exit status.
export async function serve(binary, vault, state, settings = {}) {
  const port = await freePort();
  const env = { ...process.env, OBSIDIAN_VAULT_PATH: vault, OBSIDIAN_MCP_STATE_DIR: state, LOG_LEVEL: "warn", ...settings };
  const server = spawn(binary, ["http", "--host", "127.0.0.1", "--port", String(port)], { env, stdio: ["ignore", "ignore", "inherit"] });
  process.on("exit", () => server.kill());
  const base = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill();
    const [code] = await once(server, "exit");
    if (code !== 0) throw new Error(`${binary} http exited with ${code}`);
  };
  for (let tries = 0; tries < 300 && server.exitCode === null; tries++) {
    const answer = await fetch(`${base}/readyz`).catch(() => undefined);
    if (answer?.ok) return { base, stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  server.kill();
  throw new Error(`${binary} http did not become ready`);
}

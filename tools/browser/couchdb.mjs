// Provides a LiveSync vault on the stand-in for CouchDB.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { folder, run } from "./server.mjs";
import { exampleVault } from "./vaults.mjs";

const script = fileURLToPath(new URL("../couchdb", import.meta.url));

export const login = { user: "admin", password: "of no importance", passphrase: "a passphrase of some length" };

// couchdb starts a database with the example vault, encrypted.
export async function couchdb() {
  const server = spawn(script, { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = await once(createInterface({ input: server.stdout }), "line");
  const authorization = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString("base64")}`;
  const created = await fetch(`${url}/notes`, { method: "PUT", headers: { authorization } });
  if (!created.ok) throw new Error(`creating the database failed: ${created.status}`);
  const settings = {
    COUCHDB_BASE_URL: url, COUCHDB_DATABASE_NAME: "notes", COUCHDB_USER: login.user, COUCHDB_PASSWORD: login.password, VAULT_PASSPHRASE: login.passphrase,
  };
  await run(["livesync", "push", exampleVault()], settings);
  const stop = async () => {
    server.stdin.end();
    await once(server, "exit");
  };
  // setupLink is what a device would pass on to another one: a link, encrypted with its own passphrase.
  const setupLink = async (passphrase) => {
    const file = join(folder("link"), "passphrase");
    writeFileSync(file, passphrase, { mode: 0o600 });
    const made = await run(["livesync", "setup", "--new-device", "--passphrase-file", file], settings);
    return made.stdout.trim();
  };
  return { url, settings, stop, setupLink };
}

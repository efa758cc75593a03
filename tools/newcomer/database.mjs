// Starts an encrypted LiveSync database that contains the example vault.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const script = join(dirname(fileURLToPath(import.meta.url)), "../couchdb");
const secret = { user: "me", password: "of no importance", passphrase: "correct horse" };

export async function startDatabase(binary, vault, work) {
  const files = mkdtempSync(join(work, "secrets-"));
  const passwordFile = join(files, "password");
  const passphraseFile = join(files, "passphrase");
  writeFileSync(passwordFile, secret.password + "\n", { mode: 0o600 });
  writeFileSync(passphraseFile, secret.passphrase + "\n", { mode: 0o600 });
  const server = spawn(script, { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(server.stdout, "data");
  const url = String(line).trim();
  await create(url);
  const pushed = spawnSync(binary, ["livesync", "push", vault, "--quiet"], {
    encoding: "utf8", env: {
      ...process.env, COUCHDB_BASE_URL: url, COUCHDB_DATABASE_NAME: "notes", COUCHDB_USER: secret.user,
      COUCHDB_PASSWORD_FILE: passwordFile, VAULT_PASSPHRASE_FILE: passphraseFile,
    },
  });
  assert.equal(pushed.status, 0, pushed.stdout + pushed.stderr);
  return { url, passwordFile, passphraseFile, stop: async () => { server.stdin.end(); await once(server, "exit"); } };
}

// create creates the database and an account that may use it.
async function create(url) {
  const put = (path, body) => fetch(`${url}/${path}`, {
    method: "PUT", body: body && JSON.stringify(body),
    headers: { "Content-Type": "application/json", Authorization: "Basic " + Buffer.from("admin:of no importance").toString("base64") },
  });
  await put(`_users/org.couchdb.user:${secret.user}`, { _id: `org.couchdb.user:${secret.user}`, name: secret.user, password: secret.password, roles: [], type: "user" });
  assert.ok((await put("notes")).ok);
  assert.ok((await put("notes/_security", { admins: { names: [], roles: ["_admin"] }, members: { names: [secret.user], roles: [] } })).ok);
}

// Encrypts and decrypts with the library of the LiveSync plugin. Each line of input is a request, {op, pass, salt,
// dynamic, text}, and each line of output a response, {text} or {error}. It exits at the end of its input.
import { createInterface } from "node:readline";
import * as hkdf from "octagonal-wheels/encryption/hkdf";
import * as v1 from "octagonal-wheels/encryption/encryption";
import * as beta from "octagonal-wheels/encryption/encryptionv3";
import { fallbackMixedHashEach } from "octagonal-wheels/hash/purejs";

// The library encodes long texts with the browser's FileReader.
globalThis.FileReader = class {
  readAsDataURL(blob) {
    blob.arrayBuffer().then((buffer) => {
      this.result = `data:${blob.type};base64,${Buffer.from(buffer).toString("base64")}`;
      this.onload?.({ target: this });
    });
  }
};

const bytes = (base64) => new Uint8Array(Buffer.from(base64, "base64"));

const operations = {
  "seal v2": ({ text, pass, salt }) => hkdf.encrypt(text, pass, bytes(salt)),
  "open v2": ({ text, pass, salt }) => hkdf.decrypt(text, pass, bytes(salt)),
  "seal ephemeral": ({ text, pass }) => hkdf.encryptWithEphemeralSalt(text, pass),
  "open ephemeral": ({ text, pass }) => hkdf.decryptWithEphemeralSalt(text, pass),
  "seal v1": ({ text, pass, dynamic }) => v1.encrypt(text, pass, dynamic),
  "open v1": ({ text, pass, dynamic }) => v1.decrypt(text, pass, dynamic),
  "seal json": ({ text, pass, dynamic }) => v1.encryptV1(text, pass, dynamic),
  "seal path": ({ text, pass, dynamic }) => v1.obfuscatePath(text, pass, dynamic),
  "seal beta": ({ text, pass }) => beta.encryptV3(text, pass),
  "hash": ({ text }) => fallbackMixedHashEach(text),
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = { text: await operations[request.op](request) };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
process.exit(0); // the library's timers would keep the process running

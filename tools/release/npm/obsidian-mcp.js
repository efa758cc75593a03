#!/usr/bin/env node
// Starts the program for this machine, which npm has installed as an optional dependency of this package.
"use strict";

const { spawn } = require("node:child_process");

const machine = `${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`@obsidian-mcp/server-${machine}/obsidian-mcp${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(
    `obsidian-mcp: the package @obsidian-mcp/server-${machine} is not installed. Either there is none for this machine, ` +
      "or npm was told to leave out optional dependencies: install again without --omit=optional or --no-optional.",
  );
  process.exit(1);
}

// The program gets the very streams of this process, so that no byte passes through here.
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`obsidian-mcp: ${program} does not start: ${error.message}`);
  process.exit(1);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  // Ctrl-C in a terminal reaches both processes; a second one would make the program exit at once.
  process.on(signal, () => signal === "SIGINT" && process.stdin.isTTY || child.kill(signal));
}
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

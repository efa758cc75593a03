// A stand-in for CouchDB (express-pouchdb, in memory) on a free port, for the tests of internal/store/livesync. It
// prints its address, and exits when stdin is closed. The administrator is "admin" with the password "of no importance";
// other accounts must first be created in _users.
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import express from 'express';
import pouchServer from 'express-pouchdb';
import PouchDB from 'pouchdb-core';
import http from 'pouchdb-adapter-http';
import memory from 'pouchdb-adapter-memory';
import mapreduce from 'pouchdb-mapreduce';
import replication from 'pouchdb-replication';
import find from 'pouchdb-find';

process.noDeprecation = true;
// For an unknown filter, express-pouchdb responds 404 and then rejects a promise that nobody handles.
process.on('unhandledRejection', () => {});
const folder = mkdtempSync(join(tmpdir(), 'couchdb-')); // for its log
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

[http, memory, mapreduce, replication, find].forEach((plugin) => PouchDB.plugin(plugin));
const database = pouchServer(PouchDB.defaults({ adapter: 'memory' }), {
  inMemoryConfig: true,
  logPath: join(folder, 'log.txt'),
  overrideMode: { exclude: ['routes/fauxton', 'routes/http-log', 'routes/session-stub', 'disk-size'] },
});
database.couchConfig.set('admins', 'admin', 'of no importance', () => {});

const server = createServer(express().use(database));
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
console.log(`http://127.0.0.1:${server.address().port}`);
process.stdin.on('end', () => process.exit()).resume();

// A database that answers as CouchDB does (express-pouchdb, in memory) on a
// free port of this machine, for the tests of internal/store/livesync. It
// prints its address, and ends when stdin does. The administrator is "admin",
// with the password "of no importance"; everybody else must be made first, in
// _users.
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
// It answers 404 to a filter that it does not know, and then dies of the same
// error, which nobody caught.
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

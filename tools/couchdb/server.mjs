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

// express-pouchdb creates a database again when a request is under way while the database is deleted. Such a database
// stays hidden until somebody creates one of that name: CouchDB responds 404 once it has deleted a database.
const deleted = new Set();
function hideDeleted(request, response, next) {
  const [, name, ...rest] = request.path.split('/');
  const itself = rest.join('') === '';
  if (itself && request.method === 'PUT') {
    deleted.delete(name);
  } else if (deleted.has(name)) {
    response.status(404).json({ error: 'not_found', reason: 'Database does not exist.' });
    return;
  }
  if (itself && request.method === 'DELETE') {
    response.on('finish', () => response.statusCode === 200 && deleted.add(name));
  }
  next();
}

const server = createServer(express().use(hideDeleted, database));
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
console.log(`http://127.0.0.1:${server.address().port}`);
process.stdin.on('end', () => process.exit()).resume();

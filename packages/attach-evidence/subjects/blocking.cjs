'use strict';
// Blocks its event loop about every second, or a worker thread's, in the given way. Prints `ready`, and its state on
// SIGUSR2.
const { spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const { Worker, isMainThread } = require('node:worker_threads');

const [, , way] = process.argv;
const orders = Array.from({ length: 30_000 }, (_, id) => ({ id, lines: [{ sku: `sku-${id}`, amount: id % 9 }] }));
const until = (ms) => performance.now() + ms;

function exportOrders() {
  for (const end = until(300); performance.now() < end;) JSON.stringify(orders);
}
function findParent(x = 3) {
  for (const end = until(300); performance.now() < end; x = (x * 48271) % 2147483647) if (x === -1) return x;
}
function hashPassword() {
  crypto.pbkdf2Sync('secret', 'salt', 300_000, 64, 'sha512');
}
function runCommand() {
  spawnSync('sleep', ['0.3']);
}
function readFiles() {
  for (const end = until(300); performance.now() < end;) fs.readFileSync(__filename);
}
function waitForLock() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
}
function validateComment() {
  return /^(a+)+$/.test(`${'a'.repeat(24)}!`);
}
function copyEverything() {
  let copies = [];
  for (const end = until(300); performance.now() < end;)
    copies = [...copies.slice(-200_000), ...orders.map((o) => ({ ...o }))];
}
async function groupAfterAwait() {
  await null;
  findParent();
}

function serve(work) {
  const server = http.createServer((request, response) => {
    work();
    response.end('done');
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    setInterval(() => http.get({ port, path: '/orders' }, (response) => response.resume()), 1000);
  });
}

const repeat = (work) => () => setInterval(work, 1000);
const ways = {
  json: () => serve(exportOrders),
  loop: repeat(findParent),
  pbkdf2: repeat(hashPassword),
  exec: repeat(runCommand),
  files: repeat(readFiles),
  lock: repeat(waitForLock),
  regex: repeat(validateComment),
  garbage: repeat(copyEverything),
  promise: repeat(groupAfterAwait),
  worker: () => new Worker(__filename, { argv: ['loop'], name: 'cruncher' }),
};

function state() {
  return {
    threads: fs.readdirSync('/proc/self/task').length,
    listeners: process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`),
    globals: Reflect.ownKeys(globalThis).map(String).sort(),
    wrapped: [
      http.get !== original.get,
      http.request !== original.request,
      globalThis.fetch !== original.fetch,
      require('node:net').Socket.prototype.connect !== original.connect,
      require('node:dns').lookup !== original.lookup,
    ],
    modules: Object.keys(require.cache).length,
  };
}
const original = {
  get: http.get,
  request: http.request,
  fetch: globalThis.fetch,
  connect: require('node:net').Socket.prototype.connect,
  lookup: require('node:dns').lookup,
};

if (isMainThread) process.on('SIGUSR2', () => console.log(JSON.stringify(state())));
ways[way]();
console.log('ready');

'use strict';
// node server.cjs <peer> <server>: the measured process. It starts the peer as its documentation says, then the server,
// and prints its port as one line of JSON. `/bench/usage` answers with the CPU and memory of the whole process;
// `/bench/settle` does so after a garbage collection and an export of the metrics so far. `/bench/on` and `/bench/off`
// switch the peer, `/bench/threads` counts the threads of the process, `/bench/batch-end` marks the end of requests
// that were sent together.
const { readdirSync } = require('node:fs');
const { createServer } = require('node:http');
const { performance } = require('node:perf_hooks');

const [peerName, serverName] = process.argv.slice(2);
const peer = require(`./peers/${peerName}.cjs`)({ report: () => undefined });
const handle = require(`./servers/${serverName}.cjs`);

async function settle() {
  globalThis.gc?.();
  // An export or scrape once a minute is too cheap to be measured; once per window, it would be most of the cost.
  await peer.collect?.();
  return usage();
}

function usage() {
  const { user, system } = process.cpuUsage();
  return { cpuMicroseconds: user + system, rssBytes: process.memoryUsage.rss() };
}

/** Kept small, because it is asked before and after every batch. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return { cpuMicroseconds: user + system, failures };
}

let failures = 0;

function fail(response, error) {
  failures++;
  console.error(error);
  response.statusCode = 500;
  response.end(String(error));
}

function switchPeer(isOn) {
  if (!peer.setEnabled) throw new Error(`Expected a peer that can be switched, got ${peerName}.`);
  peer.setEnabled(isOn);
  return {};
}

const END_OF_BATCH = 'end of batch';

function countThreads() {
  try {
    return { threads: readdirSync('/proc/self/task').length };
  } catch {
    return {}; // not on Linux
  }
}

const control = {
  '/bench/usage': usage,
  '/bench/cpu': cpu,
  '/bench/settle': settle,
  '/bench/on': () => switchPeer(true),
  '/bench/off': () => switchPeer(false),
  '/bench/threads': countThreads,
  // Answers on one connection come in the order of their requests: this one comes after those of the batch.
  '/bench/batch-end': () => END_OF_BATCH,
};

async function answer(request, response) {
  const ask = control[request.url];
  if (ask) response.end(JSON.stringify(await ask()));
  else await handle(request, response);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    fail(response, error);
  });
});

server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  const readyMs = performance.now();
  process.stdout.write(`${JSON.stringify({ port: server.address().port, readyMs })}\n`);
});

process.on('SIGTERM', () => {
  process.exit(0);
});
// stdin ends when the benchmark is gone. SIGKILL, because a peer with an open inspector delays `process.exit()` for
// ever ("Waiting for the debugger to disconnect...").
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();

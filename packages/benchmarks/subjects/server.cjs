'use strict';
// node server.cjs <peer> <server>: the measured process. It starts the peer as its documentation says, then the server,
// and tells by one line on stdout where it listens. `/bench/usage` tells what the whole process has used so far;
// `/bench/settle` too, after it has collected the garbage and exported the metrics of what was before. `/bench/on` and
// `/bench/off` switch the peer, `/bench/threads` counts the process's threads, `/bench/batch-end` marks the end of requests
// that were sent together.
const { readdirSync } = require('node:fs');
const { createServer } = require('node:http');
const { performance } = require('node:perf_hooks');

const [peerName, serverName] = process.argv.slice(2);
const peer = require(`./peers/${peerName}.cjs`)({ report: () => undefined });
const handle = require(`./servers/${serverName}.cjs`);

async function settle() {
  globalThis.gc?.();
  // An export or scrape once a minute costs nothing that could be measured; once a window it would be most of the cost.
  await peer.collect?.();
  return usage();
}

function usage() {
  const { user, system } = process.cpuUsage();
  return { cpuMicroseconds: user + system, rssBytes: process.memoryUsage.rss() };
}

/** As little as can be asked: it is asked between any two turns. */
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
  // Answers on one connection come in the order of their requests: this one, after those of the turn.
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
// The benchmark is gone: nobody is there to end us. Not by `process.exit()`, which a peer with an open inspector delays
// for ever ("Waiting for the debugger to disconnect...").
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();

'use strict';
// Sends the requests, in a worker thread without telemetry.
const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { workerData } = require('node:worker_threads');
const { random } = require('./random.cjs');

const { seed, ports } = workerData;
const next = random(seed);
const REQUESTS = 40;
const DURATION_MS = 2200;
const quiet = ['quick', 'waits', 'waits', 'streams', 'yields'];
const blocking = ['blocks', 'blocksLater', 'blocksBetween', 'blocksInPromises'];
const ways = ['computes', 'computes', 'parses', 'sleeps'];
const agents = ports.map(() => new http.Agent({ keepAlive: true }));

function one(list) {
  return list[Math.floor(next(0, list.length))];
}

function get({ server, path, isKept }) {
  return new Promise((resolve, reject) => {
    const agent = isKept ? agents[server] : false;
    http
      .get({ host: '127.0.0.1', port: ports[server], path, agent }, (response) => {
        response.resume().on('end', resolve);
      })
      .on('error', reject);
  });
}

const plans = Array.from({ length: REQUESTS }, () => {
  const isBlocking = next(0, 1) < 0.2;
  const kind = one(isBlocking ? blocking : quiet);
  const ms = isBlocking ? next(110, 260) : next(10, 60);
  const path = `/${kind}?way=${one(ways)}&ms=${ms.toFixed(0)}&afterMs=${next(20, 400).toFixed(0)}`;
  return { atMs: next(0, DURATION_MS), server: next(0, 1) < 0.5 ? 0 : 1, path, isKept: next(0, 1) < 0.5 };
});

Promise.all(
  plans.map(async (plan) => {
    await sleep(plan.atMs);
    await get(plan);
  }),
).then(() => {
  for (const agent of agents) agent.destroy();
});

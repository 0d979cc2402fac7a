'use strict';
// Two HTTP servers and a consumer of messages in one process. Requests of many kinds arrive at random times, from a worker
// thread without telemetry. Each piece of work is a record of the truth, with the span that is active in it.
const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker } = require('node:worker_threads');
const { SpanKind, trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');
const { whenWatched } = require('../kit/when-watched.cjs');
const { random } = require('./random.cjs');

const seed = Number(process.argv[2]);
const text = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, name: `item ${id}` })));
const sleeper = new Int32Array(new SharedArrayBuffer(4));
let pieces = 0;

const ways = {
  computes(until) {
    let sum = 0;
    while (performance.now() < until) sum += Math.sqrt(sum + 1);
  },
  parses(until) {
    while (performance.now() < until) JSON.parse(text);
  },
  sleeps(until) {
    Atomics.wait(sleeper, 0, 0, until - performance.now());
  },
};

function work(way, ms) {
  const id = `piece ${++pieces}`;
  truth.begin(id);
  ways[way](performance.now() + ms);
  truth.end(id);
}

const kinds = {
  async quick() {},
  async waits({ afterMs }) {
    await sleep(afterMs);
  },
  async streams({ afterMs }, response) {
    for (let chunk = 0; chunk < 3; chunk++) {
      await sleep(afterMs / 3);
      response.write(`chunk ${chunk}\n`);
    }
  },
  async blocks({ way, ms }) {
    work(way, ms);
  },
  async blocksLater({ way, ms, afterMs }) {
    await sleep(afterMs);
    work(way, ms);
  },
  async blocksBetween({ way, ms, afterMs }) {
    await sleep(afterMs / 2);
    work(way, ms);
    await sleep(afterMs / 2);
  },
  async blocksInPromises({ way, ms, afterMs }) {
    await sleep(afterMs);
    for (let part = 0; part < 4; part++) {
      work(way, ms / 4);
      await null;
    }
  },
  async yields({ way, ms }) {
    for (let part = 0; part < 10; part++) {
      work(way, ms / 10);
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
};

function serve(request, response) {
  const url = new URL(request.url, 'http://127.0.0.1');
  const plan = Object.fromEntries(url.searchParams);
  kinds[url.pathname.slice(1)]({ way: plan.way, ms: Number(plan.ms), afterMs: Number(plan.afterMs) }, response).then(
    () => response.end(),
  );
}

/** Messages are processed beside the requests; some of them block. */
async function consume(next, until) {
  const tracer = trace.getTracer('mixed');
  while (performance.now() < until()) {
    await sleep(next(40, 160));
    await tracer.startActiveSpan('message', { kind: SpanKind.CONSUMER }, async (span) => {
      await sleep(next(5, 120));
      if (next(0, 1) < 0.25) work('computes', next(105, 200));
      span.end();
    });
  }
}

const servers = [http.createServer(serve), http.createServer(serve)];

whenWatched(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))));
  const ports = servers.map((server) => server.address().port);
  let isOver = false;
  const client = new Worker(require.resolve('./client.cjs'), { execArgv: [], workerData: { seed, ports } });
  client.once('exit', (code) => {
    isOver = true;
    truth.note('client', code);
    for (const server of servers) server.close();
  });
  await consume(random(seed + 1), () => (isOver ? 0 : Infinity));
});

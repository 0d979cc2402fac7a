'use strict';
// node --require measure.cjs: measures what a program really did, beside it and independently of Loopwatch. In every
// thread: garbage collections, by Node's observer from the start on, and the quota's stops within each block, by the
// kernel. With LOOPWATCH_MEASURE=functions: which functions had the time of each block, by V8's CPU profiler, in a run of
// its own.
const { appendFileSync, readFileSync } = require('node:fs');
const { performance, PerformanceObserver } = require('node:perf_hooks');
const { isMainThread, threadId } = require('node:worker_threads');

const output = process.env.LOOPWATCH_MEASURE_OUTPUT;
const quotaFile = process.env.LOOPWATCH_MEASURE_QUOTA;
const isProfiled = process.env.LOOPWATCH_MEASURE === 'functions';
const hasTicks = process.env.LOOPWATCH_MEASURE === 'ticks';
const records = [];

const observer = new PerformanceObserver((list) => keep(list.getEntries()));
observer.observe({ entryTypes: ['gc'] });

function keep(entries) {
  for (const { startTime, duration } of entries) {
    records.push({ type: 'gc', threadId, startNowMs: startTime, endNowMs: startTime + duration });
  }
}

process.on('exit', () => {
  if (hasTicks && isMainThread) records.push({ type: 'note', key: 'v8StartMs', value: performance.nodeTiming.v8Start });
  keep(observer.takeRecords());
  if (profiler) endProfiler(profiler);
  if (output) appendFileSync(output, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
});

/** Time for which the quota has stopped the group so far, ms. */
function throttledMs() {
  return Number(/throttled_time (\d+)/.exec(readFileSync(quotaFile, 'utf8'))?.[1] ?? 0) / 1e6;
}

const INTERVAL_US = 500;
/** From the start of the thread on: V8 does not know all code that was made before. */
const profiler = isProfiled ? startProfiler() : undefined;
const throttledAt = new Map();
const beganAt = new Map();
const blocks = [];

globalThis[Symbol.for('loopwatch.test.measure')] = {
  begin: (id) => {
    if (quotaFile) throttledAt.set(id, throttledMs());
    beganAt.set(id, performance.now());
  },
  end: (id) => {
    const endNowMs = performance.now();
    blocks.push({ id, startNowMs: beganAt.get(id), endNowMs });
    if (!quotaFile) return;
    records.push({ type: 'quota', id, threadId, endNowMs, throttledMs: throttledMs() - throttledAt.get(id) });
  },
};

function startProfiler() {
  const { Session } = require('node:inspector');
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  session.post('Profiler.start');
  return session;
}

function endProfiler(session) {
  session.post('Profiler.stop', (error, result) => {
    if (error) return;
    const { nodes, samples, timeDeltas, startTime } = result.profile;
    // The profiler's clock is the monotonic one, which this thread's clock follows from another start on.
    let atMs = startTime / 1000 - (Number(process.hrtime.bigint()) / 1e6 - performance.now());
    const timed = samples.map((id, i) => ({ id, atMs: (atMs += timeDeltas[i] / 1000) }));
    for (const block of blocks) {
      const within = timed.filter((sample) => sample.atMs > block.startNowMs && sample.atMs < block.endNowMs);
      const lengthMs = block.endNowMs - block.startNowMs;
      records.push({ type: 'profile', id: block.id, threadId, ...summaryOf(nodes, within, lengthMs) });
    }
  });
  session.disconnect();
}

/** Time in collections and elsewhere, ms, and the functions with the most time, with what they called. */
function summaryOf(nodes, samples, lengthMs) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) for (const child of node.children ?? []) byId.get(child).parent = node;
  // On a busy machine, the time between two samples is mostly a wait for a CPU: each sample counts the same.
  const sampleMs = lengthMs / samples.length;
  let gcMs = 0;
  let otherMs = 0;
  const functions = new Map();
  for (const { id } of samples) {
    const node = byId.get(id);
    if (node.callFrame.functionName === '(garbage collector)') gcMs += sampleMs;
    else otherMs += sampleMs;
    const seen = new Set();
    for (let at = node; at; at = at.parent) {
      const { functionName, url, lineNumber, columnNumber } = at.callFrame;
      const key = `${url}:${lineNumber}:${columnNumber}:${functionName}`;
      if (url === '' || seen.has(key)) continue;
      seen.add(key);
      const known = functions.get(key) ?? { functionName, url, line: lineNumber + 1, column: columnNumber + 1, ms: 0 };
      known.ms += sampleMs;
      known.depth = Math.max(known.depth ?? 0, depthOf(at));
      functions.set(key, known);
    }
  }
  // Of a collection, V8 does not say whose code it interrupted.
  const most = [...functions.values()].filter((each) => each.ms > otherMs / 4);
  return { gcMs, otherMs, functions: most.sort((a, b) => b.depth - a.depth) };
}

function depthOf(node) {
  let depth = 0;
  for (let at = node; at; at = at.parent) depth += 1;
  return depth;
}

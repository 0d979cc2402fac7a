'use strict';
// What really happened, written down by the program itself. A fixture calls begin() and end() around its block and
// note() for any other fact; the test then holds the telemetry against it.
const { appendFileSync, readFileSync } = require('node:fs');
const { performance } = require('node:perf_hooks');
const { threadId } = require('node:worker_threads');
const { trace } = require('@opentelemetry/api');

const output = process.env.TEST_KIT_OUTPUT;
const open = new Map();
const finished = [];

// Written at the end: a write inside the block would be part of the block.
process.on('exit', () => {
  if (!output) return;
  const runQueueMs = JSON.stringify({ type: 'note', key: 'runQueueMs', value: threadRunQueueMs() });
  appendFileSync(output, [...finished, runQueueMs].map((record) => `${record}\n`).join(''));
});

/** How long this thread has been runnable and not run, in ms: what a busy machine did to it. Linux only. */
function threadRunQueueMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return undefined;
  }
}

/** The block starts here. The active span is what the program itself sees at this moment. */
function begin(id = 'block') {
  const active = trace.getActiveSpan()?.spanContext();
  open.set(id, {
    type: 'truth',
    id,
    threadId,
    traceId: active?.traceId,
    spanId: active?.spanId,
    startRunQueueMs: threadRunQueueMs(),
    startEpochMs: Date.now(),
    startNowMs: performance.now(),
  });
}

/** The block ends here. */
function end(id = 'block') {
  const record = open.get(id);
  if (!record) throw new Error(`Expected begin('${id}') before end('${id}').`);
  open.delete(id);
  const { startRunQueueMs, ...truth } = record;
  const ending = { endNowMs: performance.now(), endEpochMs: Date.now() };
  const runQueueMs = startRunQueueMs === undefined ? undefined : threadRunQueueMs() - startRunQueueMs;
  finished.push(JSON.stringify({ ...truth, ...ending, runQueueMs }));
}

/** A fact for the test, written at once. */
function note(key, value) {
  if (output) appendFileSync(output, `${JSON.stringify({ type: 'note', key, value })}\n`);
}

module.exports = { begin, end, note };

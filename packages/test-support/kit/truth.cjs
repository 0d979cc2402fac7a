'use strict';
// What really happened, written down by the program itself. A fixture calls begin() and end() around its block and
// note() for any other fact; the test then holds the telemetry against it.
const { appendFileSync } = require('node:fs');
const { performance } = require('node:perf_hooks');
const { threadId } = require('node:worker_threads');
const { trace } = require('@opentelemetry/api');
const { threadRunQueueMs } = require('./run-queue.cjs');

const output = process.env.TEST_KIT_OUTPUT;
const open = new Map();
const finished = [];

// Written at the end: a write inside the block would be part of the block.
process.on('exit', () => {
  if (!output || finished.length === 0) return;
  appendFileSync(output, finished.map((record) => `${JSON.stringify(record)}\n`).join(''));
});

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
  const runQueueMs = startRunQueueMs === undefined ? undefined : threadRunQueueMs() - startRunQueueMs;
  // Last of all: what is done after it here would be part of the block and not of its truth.
  finished.push({ ...truth, runQueueMs, endEpochMs: Date.now(), endNowMs: performance.now() });
}

/** A fact for the test, written at once. */
function note(key, value) {
  if (output) appendFileSync(output, `${JSON.stringify({ type: 'note', key, value })}\n`);
}

module.exports = { begin, end, note };

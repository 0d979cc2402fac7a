'use strict';
// Records what really happened. A program calls begin() and end() around its block, and note() for any other fact; the
// test compares the telemetry with these records.
const { appendFileSync } = require('node:fs');
const { performance } = require('node:perf_hooks');
const { threadId } = require('node:worker_threads');
const { trace } = require('@opentelemetry/api');
const { threadTimes } = require('./thread-times.cjs');

const output = process.env.TEST_KIT_OUTPUT;
/** What a preload measures besides, at the start and the end of each block. */
const measure = globalThis[Symbol.for('loopwatch.test.measure')] ?? { begin: () => undefined, end: () => undefined };
const open = new Map();
const finished = [];

// Written at exit, because a write inside the block would be part of the block.
process.on('exit', () => {
  if (!output || finished.length === 0) return;
  appendFileSync(output, finished.map((record) => `${JSON.stringify(record)}\n`).join(''));
});

/** Marks the start of a block, and records the span that is active for the program at this moment. */
function begin(id = 'block') {
  const active = trace.getActiveSpan()?.spanContext();
  measure.begin(id);
  const { cpuMs, runQueueMs } = threadTimes();
  open.set(id, {
    type: 'truth',
    id,
    threadId,
    traceId: active?.traceId,
    spanId: active?.spanId,
    startCpuMs: cpuMs,
    startRunQueueMs: runQueueMs,
    startEpochMs: Date.now(),
    startNowMs: performance.now(),
  });
}

/** Marks the end of a block. */
function end(id = 'block') {
  const record = open.get(id);
  if (!record) throw new Error(`Expected begin('${id}') before end('${id}').`);
  open.delete(id);
  const { startCpuMs, startRunQueueMs, ...truth } = record;
  const times = threadTimes();
  const cpuMs = startCpuMs === undefined ? undefined : times.cpuMs - startCpuMs;
  const runQueueMs = startRunQueueMs === undefined ? undefined : times.runQueueMs - startRunQueueMs;
  // The clocks are read last: work after them would be part of the block, but not of the record.
  finished.push({ ...truth, cpuMs, runQueueMs, endEpochMs: Date.now(), endNowMs: performance.now() });
  measure.end(id);
}

/** Writes a fact for the test at once. */
function note(key, value) {
  if (output) appendFileSync(output, `${JSON.stringify({ type: 'note', key, value })}\n`);
}

module.exports = { begin, end, note };

'use strict';
const { readFileSync } = require('node:fs');

/** Index of a field of the scheduler's statistics; their unit is ns. */
const Field = { cpu: 0, runQueue: 1 };

/**
 * CPU time of this thread so far, in ms. That of the process contains what V8's helper threads compile and collect, so
 * that work measured by it may take half of the time that was meant. It may step by 4 ms. Linux only.
 */
function threadCpuMs() {
  return read(Field.cpu);
}

/** Time that this thread has waited for a CPU so far, in ms. Linux only. */
function threadRunQueueMs() {
  return read(Field.runQueue);
}

/** Both, of the same moment. */
function threadTimes() {
  const fields = readAll();
  return { cpuMs: fields && fields[Field.cpu], runQueueMs: fields && fields[Field.runQueue] };
}

function read(field) {
  return readAll()?.[field];
}

function readAll() {
  try {
    return readFileSync('/proc/thread-self/schedstat', 'utf8')
      .split(' ')
      .map((ns) => Number(ns) / 1e6);
  } catch {
    return undefined;
  }
}

module.exports = { threadCpuMs, threadRunQueueMs, threadTimes };

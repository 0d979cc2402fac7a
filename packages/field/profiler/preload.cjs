// Records V8's CPU profile of every thread: V8 writes its samples as trace events while they are taken, so that those of a
// terminated worker thread are kept. Loaded by `--require` in NODE_OPTIONS into every process and worker thread of a
// program; `--trace-event-file-pattern` says where the events go.
//
// A signal without a listener ends a process before it writes its last events. Therefore the main thread of a server ends
// the recording when the file `end` appears; a thread of its own looks for it, because a timer in the main thread would
// wake the loop, and an idle loop would no longer be idle.
'use strict';

const { writeFileSync } = require('node:fs');
const path = require('node:path');
const { performance } = require('node:perf_hooks');
const { setImmediate, setTimeout } = require('node:timers');
const { isMainThread, threadId, Worker } = require('node:worker_threads');

const directory = process.env.LOOPWATCH_FIELD_PROFILES;
const STARTED = Symbol.for('loopwatch.field.profiler');
const POLL_MS = 50;
// To stop the profiler within the evaluation of another session crashes Node.js 20 now and then.
const END_AFTER_MS = 30;
/** So many iterations of the loop are marked: those in which a program starts. */
const MARKED_ITERATIONS = 64;
const { time } = console;

const isIgnored = process.argv[1] === process.env.LOOPWATCH_FIELD_IGNORED;

if (directory && !isIgnored && !Reflect.has(globalThis, STARTED)) start();

function start() {
  const endOnTimer = isMainThread ? startRecording() : undefined;
  Object.defineProperty(globalThis, STARTED, { value: endOnTimer });
  // A trace event knows the thread by the id of the operating system. This one has the thread's id in Node.js, and the
  // two clocks at the same moment; V8's time stamps are readings of the monotonic one.
  const monotonicOriginMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  time(`loopwatch-field ${threadId} ${performance.timeOrigin} ${monotonicOriginMs}`);
  markIterations(MARKED_ITERATIONS);
  if (endOnTimer === undefined || !process.env.LOOPWATCH_FIELD_SERVER) return;
  writeFileSync(path.join(directory, `started-${process.pid}`), '');
  watchForEnd();
}

/** One label at the end of each iteration, with the start of the loop by the thread's clock; a worker does not know it. */
function markIterations(left) {
  const mark = () => {
    time(`loopwatch-field-iteration ${left} ${isMainThread ? performance.nodeTiming.loopStart : -1}`);
    if (left > 1) markIterations(left - 1);
  };
  // It neither keeps the loop alive nor wakes it.
  setImmediate(mark).unref();
}

/** Of the whole process. Returns what ends it. */
function startRecording() {
  // Not at the top: it throws in a worker thread.
  const { createTracing } = require('node:trace_events');
  const recording = createTracing({ categories: ['disabled-by-default-v8.cpu_profiler', 'node.console'] });
  recording.enable();
  return () => {
    setTimeout(() => {
      recording.disable();
      writeFileSync(path.join(directory, `ended-${process.pid}`), '');
    }, END_AFTER_MS);
  };
}

function watchForEnd() {
  const env = { ...process.env };
  delete env.NODE_OPTIONS;
  const workerData = { directory, pollMs: POLL_MS };
  const source = `(${endOnRequest})(require('node:worker_threads').workerData)`;
  new Worker(source, { eval: true, execArgv: [], env, workerData }).unref();
}

/** Runs in the thread that waits for the request. */
function endOnRequest({ directory, pollMs }) {
  const fs = require('node:fs');
  const { Session } = require('node:inspector');
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  while (!fs.existsSync(`${directory}/end`)) Atomics.wait(sleeper, 0, 0, pollMs);
  const session = new Session();
  session.connectToMainThread();
  // The session does not keep this thread alive until it is answered.
  const keepAlive = setTimeout(() => undefined, 10_000);
  const expression = `globalThis[Symbol.for('loopwatch.field.profiler')]()`;
  session.post('Runtime.evaluate', { expression }, () => {
    session.disconnect();
    clearTimeout(keepAlive);
  });
}

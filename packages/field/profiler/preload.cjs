// Records V8's CPU profile of this thread and writes it when the thread ends. Loaded by `--require` in NODE_OPTIONS into
// every process and worker thread of a program.
//
// A signal without a listener ends a process without an `exit` event. Therefore the main thread of a server also writes
// what it has when the file `write` appears; a thread of its own looks for it, because a timer in the main thread would
// wake the loop, and an idle loop would no longer be idle.
'use strict';

const { renameSync, writeFileSync } = require('node:fs');
const inspector = require('node:inspector');
const path = require('node:path');
const { performance } = require('node:perf_hooks');
const { setTimeout } = require('node:timers');
const { isMainThread, threadId, Worker } = require('node:worker_threads');

const directory = process.env.LOOPWATCH_FIELD_PROFILES;
const STARTED = Symbol.for('loopwatch.field.profiler');
const POLL_MS = 50;
// To stop the profiler within the evaluation of another session crashes Node.js 20 now and then.
const WRITE_AFTER_MS = 30;

const isIgnored = process.argv[1] === process.env.LOOPWATCH_FIELD_IGNORED;

if (directory && !isIgnored && !Reflect.has(globalThis, STARTED)) start();

function start() {
  const session = new inspector.Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 1000 });
  session.post('Profiler.start');
  const write = () => {
    const writingFromMs = performance.now();
    session.post('Profiler.stop', (error, result) => {
      if (error) return; // it is written already
      const hrtimeMs = Number(process.hrtime.bigint()) / 1e6;
      const record = {
        pid: process.pid,
        threadId,
        timeOriginMs: performance.timeOrigin,
        // V8's time stamps and hrtime are the same clock.
        monotonicOriginMs: hrtimeMs - performance.now(),
        writingFromMs,
        profile: result.profile,
      };
      const file = path.join(directory, `writing-${process.pid}-${threadId}`);
      writeFileSync(file, JSON.stringify(record));
      const writtenAtMs = performance.timeOrigin + performance.now();
      renameSync(file, file.replace('writing-', 'profile-').concat(`-${writtenAtMs}.json`));
    });
  };
  const writeOnTimer = () => {
    setTimeout(() => {
      write();
      writeFileSync(path.join(directory, `written-${process.pid}`), '');
    }, WRITE_AFTER_MS);
  };
  Object.defineProperty(globalThis, STARTED, { value: writeOnTimer });
  process.once('exit', () => write());
  if (isMainThread && process.env.LOOPWATCH_FIELD_SERVER) {
    writeFileSync(path.join(directory, `started-${process.pid}`), '');
    watchForRequest();
  }
}

function watchForRequest() {
  const env = { ...process.env };
  delete env.NODE_OPTIONS;
  const workerData = { directory, pollMs: POLL_MS };
  const source = `(${writeOnRequest})(require('node:worker_threads').workerData)`;
  new Worker(source, { eval: true, execArgv: [], env, workerData }).unref();
}

/** Runs in the thread that waits for the request. */
function writeOnRequest({ directory, pollMs }) {
  const fs = require('node:fs');
  const { Session } = require('node:inspector');
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  while (!fs.existsSync(`${directory}/write`)) Atomics.wait(sleeper, 0, 0, pollMs);
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

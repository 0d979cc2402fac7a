'use strict';
/**
 * A worker thread computes, sleeps in a lock, and starts a command, each in a callback of its own.
 * @culprit *
 * @parent any
 * @threads
 */
const { spawnSync } = require('node:child_process');
const { Worker, isMainThread } = require('node:worker_threads');
const truth = require('../kit/truth.cjs');

function computeReport() {
  const until = performance.now() + 300;
  let sum = 0;
  while (performance.now() < until) for (let i = 0; i < 1000; i++) sum += (i * 31) % 7;
  return sum;
}

function takeLock() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
}

function runCommand() {
  spawnSync('sleep', ['0.3']);
}

if (isMainThread) {
  setTimeout(() => new Worker(__filename), 100);
} else {
  const todo = [computeReport, takeLock, runCommand, computeReport];
  setTimeout(function next() {
    const work = todo.shift();
    if (work === undefined) return;
    truth.begin(work.name);
    work();
    truth.end(work.name);
    setTimeout(next, 250);
  }, 600);
}

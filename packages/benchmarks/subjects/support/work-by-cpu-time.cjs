'use strict';
// Work of a known size, and a clock that counts only the CPU time of this thread.
const { openSync, readSync } = require('node:fs');

/** Four times the cache of a core: what runs between two questions is not in the cache at the next. */
const table = new Float64Array(512 * 1024).fill(1);
/** Callers of the function that works. */
const DEPTH = 20;

const schedstat = openSync('/proc/thread-self/schedstat', 'r');
const buffer = Buffer.alloc(80);

/** The clock without the time in which the thread waited for a CPU, ms: its CPU time, because it never sleeps here. */
function cpuNow() {
  const now = performance.now();
  const text = buffer.latin1Slice(0, readSync(schedstat, buffer, 0, 80, 0));
  return now - Number(text.split(' ')[1]) / 1e6;
}

let position = 1;
/** Looks so many numbers up, at random places. */
function lookUp(lookups) {
  let sum = 0;
  for (let count = 0; count < lookups; count++) {
    position = (position * 1103515245 + 12345) & 0x7ffff;
    sum += table[position];
  }
  return sum;
}

/** Calls the function below a stack as deep as that of an application. */
function calledDeep(work, depth = DEPTH) {
  return depth === 0 ? work() : calledDeep(work, depth - 1);
}

module.exports = { calledDeep, cpuNow, lookUp };

'use strict';
// Not the global one: a test with fake timers replaces that.
const { performance } = require('node:perf_hooks');
const { threadCpuMs } = require('./thread-times.cjs');

const { threadCpuUsage } = process;
/** By so much the scheduler's statistics may be late, and more. */
const MIN_MISSING_MS = 10;

/**
 * Work of a given length. A loop that ends at a time of the wall clock computes for less where the host takes its CPU
 * away, and is another program: its block is a wait for a CPU. This one goes on until the thread has computed for `ms`.
 *
 * Returns whether to go on. Ask once for some thousand rounds of work, which then have nearly all of the time:
 * `const goesOn = workFor(300); while (goesOn()) for (let i = 0; i < 10_000; i++) total += Math.sqrt(i);`
 *
 * Keep the result: V8 leaves out work that nothing reads, and `goesOn` then has the time, and is the culprit.
 */
function workFor(ms) {
  const endCpuMs = cpuMs() + ms;
  let endMs = performance.now() + ms;
  return function goesOn() {
    if (performance.now() < endMs) return true;
    const missingMs = endCpuMs - cpuMs();
    // Not a number where nothing says for how long a thread has computed: then the wall clock alone decides.
    if (!(missingMs > MIN_MISSING_MS)) return false;
    endMs = performance.now() + missingMs;
    return true;
  };
}

/** CPU time of this thread, in ms: Node.js has it from 23.9 on, Linux elsewhere. */
function cpuMs() {
  if (threadCpuUsage === undefined) return threadCpuMs() ?? NaN;
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

module.exports = { workFor };

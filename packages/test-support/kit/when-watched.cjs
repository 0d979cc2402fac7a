'use strict';
const { getEnvironmentData } = require('node:worker_threads');

// `REGISTRY_KEY` and `Header.isWatching` of src/contract/registry-layout.ts.
const REGISTRY_KEY = 'loopwatch.registry.11';
const IS_WATCHING = 7;
const INTERVAL_MS = 20;
/** A test in which there is no watchdog thread sets it to less. */
const TIMEOUT_MS = Number(process.env.WHEN_WATCHED_TIMEOUT_MS ?? 5000);

/**
 * Calls back once the watchdog thread has started: on a busy host it may otherwise start only when a block at a fixed
 * time is over. Without an instrumentation in the process, it calls back after a few turns of the loop.
 */
function whenWatched(callback) {
  const startedAt = performance.now();
  const check = () => {
    const registry = getEnvironmentData(REGISTRY_KEY);
    const isWatching = registry === undefined || Atomics.load(new Int32Array(registry, 0, 8), IS_WATCHING) === 1;
    if (!isWatching && performance.now() - startedAt < TIMEOUT_MS) setTimeout(check, INTERVAL_MS);
    // In a timer of its own: what it calls is a callback of the event loop, as without the wait.
    else setTimeout(callback, INTERVAL_MS);
  };
  setTimeout(check, INTERVAL_MS);
}

module.exports = { whenWatched };

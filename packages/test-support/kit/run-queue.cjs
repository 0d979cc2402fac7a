'use strict';
const { readFileSync } = require('node:fs');

/** Time that this thread has waited for a CPU so far, in ms. Linux only. */
function threadRunQueueMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return undefined;
  }
}

module.exports = { threadRunQueueMs };

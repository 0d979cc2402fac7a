'use strict';
const { readFileSync } = require('node:fs');

/** How long this thread has been runnable and not run, in ms: what a busy machine did to it. Linux only. */
function threadRunQueueMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return undefined;
  }
}

module.exports = { threadRunQueueMs };

// Twenty worker threads, one after the other, which end at once.
const { isMainThread, Worker } = require('node:worker_threads');

const WORKERS = 20;

function startNext(count) {
  if (count < WORKERS) new Worker(__filename).once('exit', () => startNext(count + 1));
}

if (isMainThread) startNext(0);

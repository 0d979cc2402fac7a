'use strict';
// node threads.cjs <workers>: what watching that many worker threads costs, in one process: first without the
// instrumentation, then with it in every thread. Prints a line for each of four phases.
const { createHash } = require('node:crypto');
const { readFileSync, readdirSync } = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

const MEASURED_MS = Number(process.env.BENCH_THREADS_MS ?? 1500);
/** Before each measurement. */
const SETTLE_MS = 500;
/** What has been loaded and compiled in each thread goes on costing for a while. */
const INSTRUMENTED_SETTLE_MS = Number(process.env.BENCH_SETTLE_MS ?? 2000);
/** Each thread has its own copy of the work's code, and V8 compiles it better while it runs. */
const WORKING_SETTLE_MS = Math.min(6000, INSTRUMENTED_SETTLE_MS);
/** Work of all workers together: half a core, in pieces of a millisecond. */
const BUSY_CORES = 0.5;
const PIECE_MS = 1;
/** What is hashed again and again; it fits into a CPU's cache. */
const HASHED_BLOCK = Buffer.alloc(16 * 1024);

/** No SDK of its own in each: what that costs is not the watching. */
function instrumentThisThread() {
  const { requireFromConsumer } = require('./support/open-telemetry.cjs');
  const { EventLoopInstrumentation } = requireFromConsumer('@loopwatch/instrumentation-event-loop');
  new EventLoopInstrumentation().enable();
}

/** The same work each time, however long it takes, and next to no garbage: a collection would cost more than we do. */
function work(blocks) {
  const hash = createHash('sha256');
  for (let count = 0; count < blocks; count++) hash.update(HASHED_BLOCK);
  hash.digest();
}

/** How many blocks make a piece on this machine. */
function blocksPerPiece() {
  const many = 1000;
  const lengthsMs = Array.from({ length: 15 }, () => {
    const start = performance.now();
    work(many);
    return performance.now() - start;
  });
  return Math.max(1, Math.round((PIECE_MS / Math.min(...lengthsMs)) * many));
}

/** In a worker: does what it is told, and says when it is done. */
function runWorker() {
  let timer;
  parentPort.on('message', ({ order, blocks, everyMs, afterMs }) => {
    if (order === 'instrument') instrumentThisThread();
    if (order === 'work') {
      timer = setTimeout(() => {
        timer = setInterval(work, everyMs, blocks);
      }, afterMs);
    }
    if (order === 'stop') clearTimeout(timer);
    parentPort.postMessage(order);
  });
}

function taskIds() {
  try {
    return readdirSync('/proc/self/task');
  } catch {
    return undefined; // not on Linux
  }
}

/** ns on a CPU so far. */
function taskNanoseconds(taskId) {
  return Number(readFileSync(`/proc/self/task/${taskId}/schedstat`, 'utf8').split(' ')[0]);
}

/** The thread that comes with the instrumentation, while no other starts. */
async function watchdogTaskId(start) {
  const before = taskIds();
  start();
  await sleep(SETTLE_MS);
  const added = taskIds()?.filter((id) => !before.includes(id));
  if (added !== undefined && added.length !== 1) {
    throw new Error(`Expected one thread more with the instrumentation, got ${added.length}.`);
  }
  return added?.[0];
}

async function percentOfCore(watchdog) {
  const read = () => {
    const { user, system } = process.cpuUsage();
    return { at: performance.now(), cpuMs: (user + system) / 1e3, ...(watchdog && { ns: taskNanoseconds(watchdog) }) };
  };
  const before = read();
  await sleep(MEASURED_MS);
  const after = read();
  const lengthMs = after.at - before.at;
  return {
    processPercent: ((after.cpuMs - before.cpuMs) / lengthMs) * 100,
    ...(watchdog && { watchdogPercent: ((after.ns - before.ns) / 1e6 / lengthMs) * 100 }),
  };
}

async function main(count) {
  const everyMs = (count * PIECE_MS) / BUSY_CORES;
  const blocks = blocksPerPiece();
  const measure = async (phase, settleMs, watchdog) => {
    await sleep(settleMs);
    process.stdout.write(`${JSON.stringify({ phase, ...(await percentOfCore(watchdog)) })}\n`);
  };
  const bothPhases = async (workers, suffix, watchdog) => {
    await measure(`idle${suffix}`, SETTLE_MS, watchdog);
    // Spread, as the requests of an application are: all at the same time they would fight for the CPUs.
    for (const [index, worker] of workers.entries()) {
      await sendOrder(worker, { order: 'work', blocks, everyMs, afterMs: (index * everyMs) / count });
    }
    await measure(`busy${suffix}`, WORKING_SETTLE_MS, watchdog);
    for (const worker of workers) await sendOrder(worker, { order: 'stop' });
  };
  const plainWorkers = await startWorkers(count);
  await bothPhases(plainWorkers, '');
  await Promise.all(plainWorkers.map((worker) => worker.terminate()));

  // As in an application: the instrumentation comes first, and the workers it then starts join its watchdog.
  const watchdog = await watchdogTaskId(instrumentThisThread);
  const instrumentedWorkers = await startWorkers(count);
  // One after the other: hundreds that load at once would block each other for minutes, and be looked at for it.
  for (const worker of instrumentedWorkers) await sendOrder(worker, { order: 'instrument' });
  await sleep(INSTRUMENTED_SETTLE_MS);
  await bothPhases(instrumentedWorkers, 'Instrumented', watchdog);
  process.exit(0);
}

async function startWorkers(count) {
  const workers = Array.from({ length: count }, () => new Worker(path.join(__dirname, 'threads.cjs')));
  await Promise.all(workers.map((worker) => sendOrder(worker, { order: 'stop' })));
  return workers;
}

/** Settles when the worker has done it. */
function sendOrder(worker, message) {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
    worker.postMessage(message);
  });
}

if (isMainThread) {
  process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
  void main(Number(process.argv[2]));
} else runWorker();

'use strict';
// node threads.cjs <workers>: measures what the instrumentation costs a process with that many worker threads: first
// without it, then with it in every thread. Prints one line for each of four phases.
const { createHash } = require('node:crypto');
const { readFileSync, readdirSync } = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

const MEASURED_MS = Number(process.env.BENCH_THREADS_MS ?? 1500);
/** Before each measurement. */
const SETTLE_MS = 500;
/** After the instrumentation is loaded in each thread, V8 still compiles and cleans up for a while. */
const INSTRUMENTED_SETTLE_MS = Number(process.env.BENCH_SETTLE_MS ?? 2000);
/** Each thread has its own copy of the code of the work, which V8 optimises while it runs. */
const WORKING_SETTLE_MS = Math.min(6000, INSTRUMENTED_SETTLE_MS);
/** Work of all workers together: half a core, in pieces of a millisecond. */
const BUSY_CORES = 0.5;
const PIECE_MS = 1;
/** Hashed again and again; it fits into a CPU's cache. */
const HASHED_CHUNK = Buffer.alloc(16 * 1024);

/** Without an SDK in each thread, whose cost is not the instrumentation's. */
function instrumentThisThread() {
  const { requireFromConsumer } = require('./support/open-telemetry.cjs');
  const { EventLoopInstrumentation } = requireFromConsumer('@loopwatch/instrumentation-event-loop');
  new EventLoopInstrumentation().enable();
}

/** The same work each time, with little garbage: a collection would cost more than the instrumentation. */
function work(chunks) {
  const hash = createHash('sha256');
  for (let count = 0; count < chunks; count++) hash.update(HASHED_CHUNK);
  hash.digest();
}

/** The number of hashed chunks that take `PIECE_MS` on this machine. */
function chunksPerPiece() {
  const many = 1000;
  const lengthsMs = Array.from({ length: 15 }, () => {
    const start = performance.now();
    work(many);
    return performance.now() - start;
  });
  return Math.max(1, Math.round((PIECE_MS / Math.min(...lengthsMs)) * many));
}

/** Runs in a worker: executes orders and confirms each one. */
function runWorker() {
  let timer;
  parentPort.on('message', ({ order, chunks, everyMs, afterMs }) => {
    if (order === 'instrument') instrumentThisThread();
    if (order === 'work') {
      timer = setTimeout(() => {
        timer = setInterval(work, everyMs, chunks);
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

/** CPU time of the thread so far. */
function taskNanoseconds(taskId) {
  return Number(readFileSync(`/proc/self/task/${taskId}/schedstat`, 'utf8').split(' ')[0]);
}

/** Finds the watchdog's thread: the only one that starts with the instrumentation. */
async function watchdogTaskId(start) {
  const before = taskIds();
  start();
  await sleep(SETTLE_MS);
  const added = taskIds()?.filter((id) => !before.includes(id));
  if (added !== undefined && added.length !== 1) {
    throw new Error(`Expected one more thread with the instrumentation, got ${added.length}.`);
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
  const chunks = chunksPerPiece();
  const measure = async (phase, settleMs, watchdog) => {
    await sleep(settleMs);
    process.stdout.write(`${JSON.stringify({ phase, ...(await percentOfCore(watchdog)) })}\n`);
  };
  const bothPhases = async (workers, suffix, watchdog) => {
    await measure(`idle${suffix}`, SETTLE_MS, watchdog);
    // Spread over time, as the requests of an application are: otherwise all workers would compete for the CPUs at
    // once.
    for (const [index, worker] of workers.entries()) {
      await sendOrder(worker, { order: 'work', chunks, everyMs, afterMs: (index * everyMs) / count });
    }
    await measure(`busy${suffix}`, WORKING_SETTLE_MS, watchdog);
    for (const worker of workers) await sendOrder(worker, { order: 'stop' });
  };
  const plainWorkers = await startWorkers(count);
  await bothPhases(plainWorkers, '');
  await Promise.all(plainWorkers.map((worker) => worker.terminate()));

  // As in an application: the instrumentation is enabled first, and workers that start later share its watchdog.
  const watchdog = await watchdogTaskId(instrumentThisThread);
  const instrumentedWorkers = await startWorkers(count);
  // One after the other: hundreds of workers that load at once would block each other for minutes and report that.
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

/** Resolves when the worker has executed the order. */
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

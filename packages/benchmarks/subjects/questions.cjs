'use strict';
// node questions.cjs <pairs> <window ms> <steady after ms> <steady windows>: what the questions for the time of the loop cost a
// saturated process. Windows with and without them follow each other in one process, in random order; prints a line for each
// pair. Then the process is asked without a pause, until what was not used of the budget of the questions is spent; prints a
// line for each window after that.
// - On the main thread, an answer interrupts a unit of work. What that unit takes longer than usual, without the time in which
//   the thread waited for a CPU, is the answer. What the answers are made into lies between the callbacks of the work.
// - The CPU of the watchdog's thread is the kernel's account.
// node --expose-gc questions.cjs memory <questions a second> <ms>: works for so long and prints the memory of the process.
const { readFileSync, readdirSync } = require('node:fs');
const { median } = require('./support/median.cjs');
const { requireFromConsumer, startSdk } = require('./support/open-telemetry.cjs');
const { calledDeep, cpuNow, lookUp } = require('./support/work-by-cpu-time.cjs');

const { EventLoopInstrumentation } = requireFromConsumer('@loopwatch/instrumentation-event-loop');
const PROBE = Symbol.for('loopwatch.probe.1');
const BUSY_QUESTION = 'busy';

const LOOKUPS_PER_UNIT = 1000;
const UNITS_PER_CALLBACK = 400;
/** The unit that an answer interrupts, and those after it, in which the caches fill again. */
const DISTURBED_UNITS = 4;
/** No answer and no report takes longer: the thread has lost its CPU, in a way that the kernel does not account for. */
const LONGEST_MS = 3;
const WARM_UP_MS = 4000;
/** What the last questions of a window cause lies within this time after it. */
const SETTLE_MS = 1500;

const units = { times: new Float64Array(2_000_000), count: 0 };
const betweens = { times: new Float64Array(100_000), count: 0 };
/** The units that an answer has interrupted. */
const disturbed = { times: new Float64Array(100_000), count: 0 };
let answers = 0;

function add(series, value) {
  if (series.count < series.times.length) series.times[series.count++] = value;
}

function runUnits() {
  let last = cpuNow();
  let answersBefore = answers;
  for (let count = 0; count < UNITS_PER_CALLBACK; count++) {
    lookUp(LOOKUPS_PER_UNIT);
    const now = cpuNow();
    if (answers !== answersBefore) add(disturbed, units.count);
    answersBefore = answers;
    add(units, now - last);
    last = now;
  }
}

function work(ms) {
  for (const series of [units, betweens, disturbed]) series.count = 0;
  answers = 0;
  const until = performance.now() + ms;
  let endedAt;
  return new Promise((resolve) => {
    const callback = () => {
      if (endedAt !== undefined) add(betweens, cpuNow() - endedAt);
      calledDeep(runUnits);
      endedAt = cpuNow();
      if (performance.now() < until) setImmediate(callback);
      else resolve();
    };
    setImmediate(callback);
  });
}

/** The watchdog calls the probe for each question; on a busy machine, for samples of blocks, too. */
function countAnswers() {
  const { value } = Object.getOwnPropertyDescriptor(globalThis, PROBE) ?? {};
  if (value === undefined) throw new Error('Expected the probe of the instrumentation, but there is none.');
  Object.defineProperty(globalThis, PROBE, {
    configurable: true,
    value: (wanted) => {
      if (wanted === BUSY_QUESTION) answers++;
      return value(wanted);
    },
  });
}

/** CPU time of a thread, ms. */
function cpuOf(threadId) {
  return Number(readFileSync(`/proc/self/task/${threadId}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

function usual({ times, count }) {
  return median([...times.subarray(0, count)]);
}

function answersMs() {
  const usualMs = usual(units);
  let sum = 0;
  for (const first of disturbed.times.subarray(0, disturbed.count)) {
    const end = Math.min(units.count, first + DISTURBED_UNITS);
    for (const ms of units.times.subarray(first, end)) sum += Math.min(LONGEST_MS, ms - usualMs);
  }
  return sum;
}

/** Of what lies between two callbacks, the part that is not in every iteration. */
function reportsMs() {
  const usualMs = usual(betweens);
  return betweens.times.subarray(0, betweens.count).reduce((sum, ms) => sum + Math.min(LONGEST_MS, ms - usualMs), 0);
}

async function measure(watchdog, windowMs) {
  const before = cpuOf(watchdog);
  const startedAt = performance.now();
  await work(windowMs);
  const watchdogMs = cpuOf(watchdog) - before;
  return {
    lengthMs: performance.now() - startedAt,
    answers,
    answersMs: answersMs(),
    reportsMs: reportsMs(),
    watchdogMs,
  };
}

async function compareWindows(pairs, windowMs, steadyAfterMs, steadyWindows) {
  const asking = new EventLoopInstrumentation();
  // It stays on, so that the watchdog does, while the other one changes.
  const staying = new EventLoopInstrumentation({ busySamplesPerSecond: 0 });
  const before = readdirSync('/proc/self/task');
  startSdk({ instrumentations: [staying, asking] });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const [watchdog, ...others] = readdirSync('/proc/self/task').filter((id) => !before.includes(id));
  if (watchdog === undefined || others.length > 0)
    throw new Error('Expected one more thread with the instrumentation, the watchdog.');
  countAnswers();
  await work(WARM_UP_MS);
  for (let pair = 0; pair < pairs; pair++) {
    const windows = {};
    const isAskedFirst = Math.random() < 0.5;
    for (const isAsked of [isAskedFirst, !isAskedFirst]) {
      asking.setConfig(isAsked ? {} : { busySamplesPerSecond: 0 });
      await work(SETTLE_MS);
      windows[isAsked ? 'asked' : 'unasked'] = await measure(watchdog, windowMs);
    }
    process.stdout.write(`${JSON.stringify(windows)}\n`);
  }
  asking.setConfig({});
  await work(steadyAfterMs);
  for (let window = 0; window < steadyWindows; window++)
    process.stdout.write(`${JSON.stringify(await measure(watchdog, windowMs))}\n`);
  process.exit(0);
}

async function printMemory(perSecond, ms) {
  startSdk({ instrumentations: [new EventLoopInstrumentation({ busySamplesPerSecond: perSecond })] });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await work(ms);
  for (let count = 0; count < 3; count++) globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ rssBytes: rss, heapBytes: heapUsed + external })}\n`, () => process.exit(0));
}

process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
const [what, ...numbers] = process.argv.slice(2);
if (what === 'memory') void printMemory(...numbers.map(Number));
else void compareWindows(...[what, ...numbers].map(Number));

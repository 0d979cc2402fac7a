'use strict';
// node saturated.cjs <peer>: a process whose event loop is busy with callbacks of some milliseconds, none of which blocks.
// Each line of its standard input is the number of milliseconds for which it works, or waits with `idle <ms>`; it then
// prints what it has seen of the CPU. The work is cut into equal units that leave the CPU's caches as an application
// does. What a unit takes longer than the median of its neighbours was taken from the main thread.
const { openSync, readFileSync, readSync, readdirSync } = require('node:fs');
const { createInterface } = require('node:readline');
const { median } = require('./support/median.cjs');

require(`./peers/${process.argv[2]}.cjs`)({ report: () => undefined });

/** Four times the cache of a core: what runs between two questions is not in the cache at the next. */
const table = new Float64Array(512 * 1024).fill(1);
const LOOKUPS_PER_UNIT = 2000;
const UNITS_PER_CALLBACK = 30;
/** Callers of the function that works. */
const DEPTH = 20;
/** Neighbours whose median is the usual length of a unit. */
const NEIGHBOURS = 500;

const schedstat = openSync('/proc/thread-self/schedstat', 'r');
const buffer = Buffer.alloc(80);

/** The clock without the time in which the thread waited for a CPU, ms: its CPU time, because it never sleeps here. */
function cpuNow() {
  const now = performance.now();
  const text = buffer.latin1Slice(0, readSync(schedstat, buffer, 0, 80, 0));
  return now - Number(text.split(' ')[1]) / 1e6;
}

let position = 1;
function lookUp() {
  let sum = 0;
  for (let count = 0; count < LOOKUPS_PER_UNIT; count++) {
    position = (position * 1103515245 + 12345) & 0x7ffff;
    sum += table[position];
  }
  return sum;
}

/** So that the stack is as deep as that of an application. */
function called(depth, work) {
  return depth === 0 ? work() : called(depth - 1, work);
}

function work(ms, done) {
  const units = [];
  const until = performance.now() + ms;
  let last = cpuNow();
  const callback = () => {
    called(DEPTH, () => {
      for (let count = 0; count < UNITS_PER_CALLBACK; count++) {
        lookUp();
        const now = cpuNow();
        units.push(now - last);
        last = now;
      }
    });
    if (performance.now() < until) setImmediate(callback);
    else done(units);
  };
  setImmediate(callback);
}

/** CPU time of each other thread, ms. */
function otherThreads() {
  const others = readdirSync('/proc/self/task').filter((id) => id !== String(process.pid));
  return new Map(others.map((id) => [id, cpuOf(id)]));
}

function cpuOf(id) {
  try {
    return Number(readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0; // it has ended
  }
}

function addedSince(before) {
  let added = 0;
  for (const [id, ms] of otherThreads()) added += Math.max(0, ms - (before.get(id) ?? 0));
  return added;
}

function takenFromMain(units) {
  let taken = 0;
  for (let start = 0; start + NEIGHBOURS <= units.length; start += NEIGHBOURS) {
    const neighbours = units.slice(start, start + NEIGHBOURS);
    const usual = median(neighbours);
    for (const unit of neighbours) taken += unit - usual;
  }
  return taken;
}

function print(measured) {
  process.stdout.write(`${JSON.stringify({ ...measured, rssBytes: process.memoryUsage.rss() })}\n`);
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const others = otherThreads();
    const startedAt = performance.now();
    const percentOf = (ms) => (100 * ms) / (performance.now() - startedAt);
    if (line.startsWith('idle ')) {
      const before = process.cpuUsage();
      setTimeout(
        () => {
          const { user, system } = process.cpuUsage(before);
          print({ processPercent: percentOf((user + system) / 1e3), othersPercent: percentOf(addedSince(others)) });
        },
        Number(line.slice('idle '.length)),
      );
      return;
    }
    work(Number(line), (units) => {
      const othersPercent = percentOf(addedSince(others));
      print({ mainPercent: (100 * takenFromMain(units)) / units.reduce((sum, unit) => sum + unit, 0), othersPercent });
    });
  })
  .on('close', () => process.kill(process.pid, 'SIGKILL'));

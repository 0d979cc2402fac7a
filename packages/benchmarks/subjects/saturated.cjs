'use strict';
// node saturated.cjs <peer>: a process whose event loop is busy with callbacks of some milliseconds, none of which blocks.
// Each line of its standard input is the number of milliseconds for which it works, or waits with `idle <ms>`; it then
// prints what it has seen of the CPU. The work is cut into equal units that leave the CPU's caches as an application
// does. What a unit takes longer than the median of its neighbours was taken from the main thread.
const { readFileSync, readdirSync } = require('node:fs');
const { createInterface } = require('node:readline');
const { median } = require('./support/median.cjs');
const { calledDeep, cpuNow, lookUp } = require('./support/work-by-cpu-time.cjs');

require(`./peers/${process.argv[2]}.cjs`)({ report: () => undefined });

const LOOKUPS_PER_UNIT = 2000;
const UNITS_PER_CALLBACK = 30;
/** Neighbours whose median is the usual length of a unit. */
const NEIGHBOURS = 500;

function work(ms, done) {
  const units = [];
  const until = performance.now() + ms;
  let last = cpuNow();
  const callback = () => {
    calledDeep(() => {
      for (let count = 0; count < UNITS_PER_CALLBACK; count++) {
        lookUp(LOOKUPS_PER_UNIT);
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

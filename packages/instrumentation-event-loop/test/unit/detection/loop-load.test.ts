import { beforeEach, describe, expect, test } from '@jest/globals';
import { MonitoredLoop } from '../support/monitored-loop.js';

let { loop, monitor, iterate, settle, timers } = new MonitoredLoop();

beforeEach(() => {
  ({ loop, monitor, iterate, settle, timers } = new MonitoredLoop());
  settle();
});

const isLagging = (lagMs = 200): boolean => monitor.isOverloaded(lagMs, 1);
const isBusy = (utilization: number): boolean => monitor.isOverloaded(Infinity, utilization);

/** The heartbeat of the next iteration, whose poll phase then reads the requests. */
function beat(): void {
  timers.runIntervals();
}

describe('The lag is above the limit', () => {
  test('for a request that has waited for a block of an earlier iteration, and not for one that came later', () => {
    iterate({ isBeatDue: false, pollMs: 500 });
    beat();
    expect([isLagging(), isLagging(500), isLagging(499)]).toEqual([true, false, true]);
    loop.run(3); // requests before it in the same poll phase
    expect(isLagging()).toBe(true);
    timers.runImmediates();
    loop.idle(1); // everything that has waited has been read
    expect(isLagging()).toBe(false);
  });

  test('for a request that is read after a block in the same iteration', () => {
    beat();
    loop.idle(10);
    loop.run(201);
    expect([isLagging(), isLagging(201), isLagging(Infinity)]).toEqual([true, false, false]);
  });

  test('as long as each iteration is long, and until one has been short', () => {
    for (let count = 0; count < 5; count++) {
      iterate({ pollMs: 300 });
      beat();
      expect(isLagging()).toBe(true);
    }
    iterate({ isBeatDue: false, idleMs: 20, pollMs: 5 });
    beat();
    expect(isLagging()).toBe(false);
  });

  test('never by idle time', () => {
    iterate({ idleMs: 5000 });
    loop.idle(5000);
    expect([isLagging(), isLagging(50)]).toEqual([false, false]);
  });

  test('with a limit of 0, as soon as the loop has been busy at all', () => {
    loop.run(1);
    expect(isLagging(0)).toBe(true);
  });
});

describe('The busy share is above the limit', () => {
  test('when the loop has been that busy for a while', () => {
    for (let count = 0; count < 60; count++) iterate({ idleMs: 5, pollMs: 20 });
    expect([isBusy(0.7), isBusy(0.79), isBusy(0.81), isBusy(1)]).toEqual([true, true, false, false]);
  });

  test('not before it has been measured for half a second', () => {
    for (let count = 0; count < 10; count++) iterate({ pollMs: 25 });
    expect(isBusy(0.1)).toBe(false);
  });

  test('not by what was before, on a loop that has been idle since, also where the heartbeat has slept', () => {
    for (let count = 0; count < 60; count++) iterate({ pollMs: 25 });
    expect(isBusy(0.9)).toBe(true);
    loop.idle(900);
    expect(isBusy(0.9)).toBe(false);
  });
});

test('during start-up, nothing is overloaded', () => {
  ({ loop, monitor, timers } = new MonitoredLoop());
  monitor.start(50);
  loop.run(5000);
  expect([isLagging(), isBusy(0)]).toEqual([false, false]);
});

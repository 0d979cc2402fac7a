import { beforeEach, describe, expect, test } from '@jest/globals';
import type { PoolLane, PoolMessage, PoolStarvation, PoolWait } from '../../../../src/contract/thread-pool-data.js';
import { PoolWatch } from '../../../../src/watchdog/pool/pool-watch.js';

const IDLE = ['idle', 'idle', 'idle', 'idle'];
const HASHES = ['cpu', 'cpu', 'cpu', 'cpu'];

let now: number;
let states: readonly string[] | undefined;
let canBeFound: boolean;
let mayBeHidden: boolean;
let isActive: boolean;
/** CPU time of each thread, and of the watchdog's wait for a CPU. */
let cpuTimes: number[] | undefined;
/** Share of the kernel in the CPU time of the threads. */
let kernelShare: number;
let runQueueMs: number;
let asked: { readonly lane: PoolLane; readonly onRan: () => void }[];
let waits: PoolWait[];
let shares: number[];
let sent: PoolMessage[];
let watch: PoolWatch;

beforeEach(() => {
  now = 1000;
  states = IDLE;
  canBeFound = true;
  mayBeHidden = false;
  kernelShare = 0;
  isActive = true;
  cpuTimes = [50, 50, 50, 50];
  runQueueMs = 0;
  asked = [];
  waits = [];
  shares = [];
  sent = [];
  watch = new PoolWatch({
    threads: {
      get canBeFound() {
        return canBeFound;
      },
      get mayBeHidden() {
        return mayBeHidden;
      },
      get size() {
        return states?.length ?? 0;
      },
      find: () => undefined,
      states: (limit) => states?.slice(0, limit),
      cpuTimes: () => cpuTimes && [...cpuTimes],
      cpuSplit: () => ({ user: now * (1 - kernelShare), system: now * kernelShare }),
    },
    ask: (lane, onRan) => asked.push({ lane, onRan }),
    now: () => now,
    runQueueMs: () => runQueueMs,
    isActive: () => isActive,
    onWait: (wait) => waits.push(wait),
    onBusyShare: (share) => shares.push(share),
    send: (message) => sent.push(message),
  });
  watch.setThreshold(100);
});

/** Lets that time pass; the watchdog looks every 20 ms. Threads that compute get a CPU for a share of it. */
function pass(ms: number, cpuShares = [0.5, 0.5, 0.5, 0.5]): void {
  for (const end = now + ms; now < end; now += 20) {
    watch.look();
    cpuTimes = cpuTimes?.map((time, i) => time + (states?.[i] === 'cpu' ? 20 * cpuShares[i]! : 0));
  }
}

function taskRuns(): void {
  asked.at(-1)!.onRan();
}

function reports(): PoolStarvation[] {
  return sent.filter(
    (message): message is PoolStarvation => message.poolWait === 'ended' || message.poolWait === 'lasts',
  );
}

describe('A pool with an idle thread', () => {
  test('is not asked, and each look counts as a task that does not wait', () => {
    states = ['idle', 'cpu', 'cpu', 'cpu'];
    pass(1000);
    expect(asked).toEqual([]);
    expect(waits).toEqual(Array.from({ length: 5 }, () => ({ waitMs: 0, lane: 'any' })));
    expect(shares).toEqual(Array.from({ length: 5 }, () => 0.75));
  });

  test('is asked by a lookup where half of the threads wait for the network', () => {
    states = ['poll', 'recvmsg', 'idle', 'idle'];
    pass(20);
    expect(asked.map(({ lane }) => lane)).toEqual(['slow_io']);
    pass(480);
    states = IDLE;
    taskRuns();
    expect(waits.every(({ lane }) => lane === 'slow_io')).toBe(true);
    expect(reports()).toMatchObject([{ poolWait: 'ended', lane: 'slow_io', holders: ['poll×1', 'recvmsg×1'] }]);
    waits = [];
    pass(200);
    expect(waits).toEqual([
      { waitMs: 0, lane: 'any' },
      { waitMs: 0, lane: 'slow_io' },
    ]);
  });
});

describe('A full pool', () => {
  test('is asked by one task at a time', () => {
    states = HASHES;
    pass(3000);
    expect(asked).toHaveLength(1);
    expect(watch.isAsking).toBe(true);
  });

  test('weighs as long as it lasts: one wait for each 200 ms', () => {
    states = HASHES;
    pass(1000);
    taskRuns();
    expect(waits.map(({ waitMs }) => waitMs)).toEqual([1000, 800, 600, 400, 200]);
  });

  test('is reported when its task has run after more than the threshold, with what held it', () => {
    states = ['openat', 'openat', 'openat', 'cpu'];
    pass(500);
    taskRuns();
    expect(sent).toEqual([
      { poolWait: 'began' },
      // At doubling ages: the queue grows.
      { poolWait: 'goesOn' },
      { poolWait: 'goesOn' },
      { poolWait: 'goesOn' },
      { poolWait: 'ended', queuedAt: 1000, ranAt: 1500, lane: 'any', size: 4, holders: ['openat×3', 'cpu×1'] },
    ]);
  });

  test('is counted and not reported when its task has run within the threshold', () => {
    states = HASHES;
    pass(80);
    taskRuns();
    expect(waits.map(({ waitMs }) => waitMs)).toEqual([80]);
    expect(reports()).toEqual([]);
  });

  test('is reported once in ten seconds, and counted each time', () => {
    states = HASHES;
    for (let count = 0; count < 30; count++) {
      pass(400);
      taskRuns();
    }
    expect(reports()).toHaveLength(2);
    expect(waits.length).toBeGreaterThanOrEqual(58);
  });

  test('is reported again within ten seconds when a task waits twice as long', () => {
    states = HASHES;
    for (const waitMs of [200, 300, 600, 1000, 300, 1300]) {
      pass(waitMs);
      taskRuns();
    }
    expect(reports().map(({ queuedAt, ranAt }) => ranAt - queuedAt)).toEqual([200, 600, 1300]);
  });

  test('that stays full is reported after 2 s and at doubling ages, and its waits are counted then', () => {
    states = HASHES;
    pass(21_000);
    expect(reports().map(({ poolWait, queuedAt, ranAt }) => [poolWait, ranAt - queuedAt])).toEqual([
      ['lasts', 2000],
      ['lasts', 4000],
      ['lasts', 8000],
      ['lasts', 16_000],
    ]);
    expect(waits.length).toBeGreaterThanOrEqual(16 * 5);
  });

  test('is reported with its length when it ends, where it was reported while it lasted, and then once in ten seconds', () => {
    states = HASHES;
    for (let count = 0; count < 10; count++) {
      pass(3000);
      taskRuns();
    }
    expect(reports().map(({ poolWait, ranAt, queuedAt }) => `${poolWait} ${ranAt - queuedAt}`)).toEqual([
      'lasts 2000',
      'ended 3000',
      'lasts 2000',
      'ended 3000',
      'lasts 2000',
      'ended 3000',
    ]);
  });

  test('holds what its threads did most of the time', () => {
    states = HASHES;
    pass(100);
    states = ['cpu', 'cpu', 'cpu', 'read'];
    pass(400);
    taskRuns();
    expect(reports()[0]?.holders).toEqual(['cpu×3', 'read×1']);
  });

  test('is reported where its threads sleep in their tasks, or wait for a CPU for a part of the time', () => {
    states = ['openat', 'openat', 'cpu', 'cpu'];
    pass(500, [0, 0, 0.1, 0.1]);
    taskRuns();
    expect(reports()).toMatchObject([{ holders: ['openat×2', 'cpu×2'] }]);
  });

  test('has not waited while the process was suspended', () => {
    states = HASHES;
    pass(100);
    now += 5000;
    watch.excludeSuspension(1100, 6100);
    pass(60);
    taskRuns();
    expect(waits).toEqual([{ waitMs: 160, lane: 'any' }]);
    expect(reports()).toMatchObject([{ queuedAt: 6000, ranAt: 6160 }]);
  });
});

describe('On an overloaded host', () => {
  test('a thread that was ready to run and never ran may be free: the wait is counted, and not the pool blamed', () => {
    states = HASHES;
    pass(500, [0.5, 0.5, 0.5, 0]);
    taskRuns();
    expect(waits.length).toBeGreaterThan(0);
    expect(reports()).toEqual([]);
  });

  test('the pool is blamed where the system does not show the CPU time of its threads', () => {
    states = HASHES;
    cpuTimes = undefined;
    pass(500);
    taskRuns();
    expect(reports()).toHaveLength(1);
  });

  test('the time for which the watchdog itself waits for a CPU is no wait of the task', () => {
    states = HASHES;
    pass(80);
    runQueueMs += 300;
    now += 300;
    taskRuns();
    expect(waits).toEqual([{ waitMs: 80, lane: 'any' }]);
    expect(reports()).toEqual([]);
  });
});

test('Threads whose CPU time is mostly in the kernel, as of copies of files, do not compute', () => {
  for (const [share, holder] of [
    [0.8, 'kernel×4'],
    [0.2, 'cpu×4'],
  ] as const) {
    kernelShare = share;
    now += 60_000;
    sent = [];
    states = HASHES;
    pass(500);
    taskRuns();
    expect(reports()).toMatchObject([{ poolWait: 'ended', holders: [holder] }]);
  }
});

describe('Where the system does not show the threads', () => {
  beforeEach(() => {
    states = undefined;
    canBeFound = false;
  });

  test('a task is queued once a second while the application does something', () => {
    pass(20);
    taskRuns();
    pass(1000);
    taskRuns();
    expect(asked).toHaveLength(2);
    isActive = false;
    pass(5000);
    expect(asked).toHaveLength(2);
  });

  test('a wait is reported without a size and without holders', () => {
    pass(400);
    taskRuns();
    expect(reports()).toEqual([
      { poolWait: 'ended', queuedAt: 1000, ranAt: 1400, lane: 'any', size: undefined, holders: [] },
    ]);
    expect(shares).toEqual([]);
  });
});

test('A pool whose threads cannot be told from others while they work is asked like one that is not shown', () => {
  states = undefined;
  mayBeHidden = true;
  pass(400);
  taskRuns();
  expect(reports()).toMatchObject([{ queuedAt: 1000, ranAt: 1400, size: undefined, holders: [] }]);
});

test('A process that has used no pool is not asked', () => {
  states = undefined;
  pass(5000);
  expect(asked).toEqual([]);
  expect(waits).toEqual([]);
});

test('Without a threshold, nothing is looked at', () => {
  watch.setThreshold(undefined);
  states = HASHES;
  pass(1000);
  expect(asked).toEqual([]);
  expect(shares).toEqual([]);
});

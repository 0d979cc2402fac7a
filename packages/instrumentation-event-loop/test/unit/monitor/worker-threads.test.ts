import process from 'node:process';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { watchdogs } from '../../../src/monitor/watchdog-state.js';
import { utilizationWithout, WorkerThreads, type ThreadGroup } from '../../../src/monitor/worker-threads.js';

/** Lives until it is terminated. */
const SLEEPER = 'setInterval(() => undefined, 1e6);';
const BUSY = 'for (;;) for (let i = 0; i < 1e6; i++);';

let threads: WorkerThreads;
let workers: Worker[];

/** Jest gives its tests a copy of `process`, which gets no `worker` event: Node emits it on that of the main context. */
const realProcess = vm.runInThisContext('process') as NodeJS.Process;
const forwardEvent = (worker: Worker): void => void (process as NodeJS.EventEmitter).emit('worker', worker);

beforeAll(() => {
  realProcess.on('worker', forwardEvent);
});

afterAll(() => {
  realProcess.off('worker', forwardEvent);
});

beforeEach(() => {
  threads = new WorkerThreads('main', () => 0, 0);
  workers = [];
});

afterEach(async () => {
  threads.close();
  await Promise.all(workers.map((worker) => worker.terminate()));
});

async function start(program: string, name?: string, isWatchdog = false): Promise<Worker> {
  const worker = new Worker(program, { eval: true, execArgv: [], ...(name === undefined ? {} : { name }) });
  if (isWatchdog) watchdogs.add(worker);
  workers.push(worker);
  await new Promise((resolve) => worker.once('online', resolve));
  return worker;
}

function group(threadName: string): ThreadGroup | undefined {
  return threads.groups().find((found) => found.threadName === threadName);
}

test('the thread itself has a utilization, and is no worker', () => {
  const own = group('main');
  expect(own).toMatchObject({ count: 0 });
  expect(own!.utilization).toBeGreaterThanOrEqual(0);
  expect(own!.utilization).toBeLessThanOrEqual(1);
});

test('the utilization is that of the time since the last measurement, at the third one as at the first', async () => {
  const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));
  const measured: number[] = [];
  for (let round = 0; round < 3; round++) {
    await rest();
    group('main');
    for (const until = performance.now() + 30; performance.now() < until;);
    measured.push(group('main')!.utilization);
  }
  await rest();
  expect(measured).toEqual([1, 1, 1]);
  expect(group('main')!.utilization).toBeLessThan(1);
});

test.each([
  ['looks active, as in a poll that SIGCONT has interrupted', { active: 3100, idle: 900 }, 0.1],
  ['looks active, in code that it has stopped', { active: 4000, idle: 0 }, 1],
  ['looks idle, where it is longer than all active time', { active: 100, idle: 3900 }, 0.1],
])('a suspension is no time of the loop: it %s', (_label, { active, idle }, expected) => {
  const measured = { active, idle, utilization: active / (active + idle) };
  expect(utilizationWithout(3000, measured)).toBeCloseTo(expected);
  expect(utilizationWithout(0, measured)).toBe(measured.utilization);
});

test('the process was suspended since the last measurement, or since the one before for a second reader', async () => {
  const asked: number[] = [];
  const shared = new WorkerThreads('main', (since) => asked.push(since) && 0, 100);
  try {
    await new Promise((resolve) => setTimeout(resolve, 120));
    shared.groups();
    shared.groups();
    expect(asked).toHaveLength(2);
    expect(asked[1]).toBe(asked[0]);
  } finally {
    shared.close();
  }
});

test('a reader that collects right after another one gets the utilization of the same time', async () => {
  const shared = new WorkerThreads('main', () => 0, 500);
  const utilization = (): number => shared.groups().find(({ threadName }) => threadName === 'main')!.utilization;
  try {
    await new Promise((resolve) => setTimeout(resolve, 520));
    const first = utilization();
    // The loop is not idle between the two, so that this time alone has a utilization of 1.
    const second = utilization();
    expect(first).toBeLessThan(0.9);
    expect(Math.abs(second - first)).toBeLessThan(0.05);
  } finally {
    shared.close();
  }
});

test('a worker has no listener of this package, and is forgotten when it has ended', async () => {
  const worker = await start(SLEEPER, 'job');
  expect(worker.listenerCount('exit')).toBe(0);
  expect(group('job')?.count).toBe(1);
  worker.removeAllListeners();
  await worker.terminate();
  expect(group('job')?.count).toBe(0);
});

test('the count rises with every worker that is created and does not end', async () => {
  const counts: (number | undefined)[] = [];
  for (let i = 0; i < 3; i++) {
    await start(SLEEPER, 'rebalance');
    counts.push(group('rebalance')?.count);
  }
  expect(counts).toEqual([1, 2, 3]);
});

test('a name whose threads have all ended has a count of 0, so that its series does not stop high', async () => {
  const worker = await start(SLEEPER, 'short-lived');
  await worker.terminate();
  expect(group('short-lived')).toMatchObject({ count: 0, utilization: 0 });
});

test('a worker without a name is called worker', async () => {
  await start(SLEEPER);
  expect(group('worker')?.count).toBe(1);
});

test('the watchdog is not counted', async () => {
  await start(SLEEPER, 'watchdog', true);
  expect(group('watchdog')).toBeUndefined();
});

test('a worker that computes is busier than one that sleeps', async () => {
  await start(BUSY, 'busy');
  await start(SLEEPER, 'idle');
  threads.groups();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const found = threads.groups();
  const utilizationOf = (name: string): number => found.find(({ threadName }) => threadName === name)!.utilization;
  expect(utilizationOf('busy')).toBeGreaterThan(0.5);
  expect(utilizationOf('idle')).toBeLessThan(utilizationOf('busy'));
});

test('new workers are not counted after closing', async () => {
  threads.close();
  await start(SLEEPER, 'late');
  expect(group('late')).toBeUndefined();
});

import { connect } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import { freePort } from '@loopwatch/test-support/free-port';
import { livenessSource } from 'virtual:watchdog-source';
import { sharedNow } from '../../../src/contract/clock.js';
import type { LivenessProblem, LivenessSettings } from '../../../src/contract/liveness-data.js';
import { SlotTime } from '../../../src/contract/registry-layout.js';
import { Registry } from '../../../src/contract/registry.js';
import { LivenessThread } from '../../../src/watchdog/liveness-thread.js';

let problems: LivenessProblem[] = [];
let thread: LivenessThread | undefined;
let registry = new Registry();

afterEach(() => {
  jest.useRealTimers();
  thread?.setSettings(undefined);
  thread = undefined;
  problems = [];
  registry = new Registry();
});

function settings(port: number, livenessThresholdMs: number): LivenessSettings {
  return { host: '127.0.0.1', port, livenessThresholdMs, readinessThresholdMs: 500 };
}

function start(source: string, port = 0, livenessThresholdMs = 10_000, restartMs?: number): LivenessThread {
  thread = new LivenessThread(source, registry.buffer, (problem) => problems.push(problem), restartMs);
  thread.setSettings(settings(port, livenessThresholdMs));
  return thread;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

interface Answer {
  readonly status: string;
  readonly blockedMs: number;
  readonly culprit?: string;
}

async function livez(port: number): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}/livez`);
  return (await response.json()) as Answer;
}

test('it answers with what the watchdog has seen last', async () => {
  const port = await freePort();
  const livenessThread = start(livenessSource, port);
  await until(() => !livenessThread.isStarting);
  await expect(livez(port)).resolves.toEqual({ status: 'ok', blockedMs: 0 });

  const blockedSince = sharedNow() - 5000;
  livenessThread.setBlock({ blockedSince, culprit: undefined });
  const first = await livez(port);
  expect(first).toEqual({ status: 'ok', blockedMs: expect.any(Number) });
  expect(first.blockedMs).toBeGreaterThanOrEqual(5000);
  expect(first.blockedMs).toBeLessThanOrEqual(sharedNow() - blockedSince + 1);

  livenessThread.setBlock({ blockedSince, culprit: 'spin (/app/a.js:1:2)' });
  const second = await livez(port);
  expect(second.culprit).toBe('spin (/app/a.js:1:2)');
  expect(second.blockedMs).toBeGreaterThanOrEqual(first.blockedMs);

  livenessThread.setSettings(settings(port, 1000));
  await expect(livez(port)).resolves.toMatchObject({ status: 'blocked' });

  livenessThread.setBlock({ blockedSince: sharedNow(), culprit: undefined });
  await expect(livez(port)).resolves.toEqual({ status: 'ok', blockedMs: expect.any(Number) });
  livenessThread.setBlock(undefined);
  await expect(livez(port)).resolves.toEqual({ status: 'ok', blockedMs: 0 });
  expect(problems).toEqual([]);
});

test('the block goes on while the watchdog does nothing', async () => {
  const port = await freePort();
  const livenessThread = start(livenessSource, port, 1000);
  await until(() => !livenessThread.isStarting);
  livenessThread.setBlock({ blockedSince: sharedNow(), culprit: undefined });
  const statuses: string[] = [];
  while (statuses.at(-1) !== 'blocked') statuses.push((await livez(port)).status);
  expect(statuses[0]).toBe('ok');
});

test('a block that the watchdog still sees is over when the main thread has ticked since', async () => {
  const port = await freePort();
  const slot = registry.claim(0, 'main')!;
  slot.setTime(SlotTime.suspectAfterMs, 60_000);
  const blockedSince = sharedNow() - 5000;
  slot.setTime(SlotTime.tickAt, blockedSince);
  const livenessThread = start(livenessSource, port, 1000);
  await until(() => !livenessThread.isStarting);
  livenessThread.setBlock({ blockedSince, culprit: undefined });
  await expect(livez(port)).resolves.toMatchObject({ status: 'blocked' });
  slot.setTime(SlotTime.tickAt, sharedNow());
  await expect(livez(port)).resolves.toEqual({ status: 'ok', blockedMs: 0 });
});

test('without settings, nothing listens', async () => {
  const port = await freePort();
  const livenessThread = start(livenessSource, port);
  await until(() => !livenessThread.isStarting);
  expect(livenessThread.isOn).toBe(true);
  livenessThread.setSettings(undefined);
  expect([livenessThread.isOn, livenessThread.isStarting]).toEqual([false, false]);
  const isRefused = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(false);
      });
      socket.on('error', () => {
        resolve(true);
      });
    });
  while (!(await isRefused()));
});

// Counts its starts in the shared memory that is meant for the block.
const diesAtOnce = `
const { workerData, parentPort } = require('node:worker_threads');
new Float64Array(workerData.seen)[0] += 1;
parentPort.postMessage('listens');
throw new Error('no memory left');
`;

test('it is started again when it has ended, not at once where it ends soon, and the reason is reported', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
  const livenessThread = start(diesAtOnce);
  for (const count of [1, 2, 3]) {
    await until(() => problems.length === count && jest.getTimerCount() === 1);
    jest.advanceTimersByTime(4999);
    expect([problems.length, jest.getTimerCount(), livenessThread.isStarting]).toEqual([count, 1, false]);
    jest.advanceTimersByTime(1);
  }
  expect(new Set(problems.map(({ livenessProblem }) => livenessProblem))).toEqual(
    new Set([expect.stringMatching(/^Expected a thread .* got: .*no memory left\. It is started again\.$/)]),
  );
});

test('it is started again at once where it has run for a while', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
  start(diesAtOnce, 0, 10_000, 1);
  await until(() => problems.length === 3);
  expect(jest.getTimerCount()).toBe(0);
});

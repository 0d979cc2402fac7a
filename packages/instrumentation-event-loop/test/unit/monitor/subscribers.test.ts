import { expect, test } from '@jest/globals';
import { Subscribers, type Subscriber } from '../../../src/monitor/subscribers.js';

function subscriber(onProblem: (message: string) => void): Subscriber {
  return {
    blockedThresholdMs: 100,
    hangThresholdMs: 0,
    soFarThresholdMs: Infinity,
    sampleIntervalMs: 10,
    watchdog: true,
    countsStartUp: false,
    isWatchedToEnd: false,
    onStartUp: () => undefined,
    relay: () => undefined,
    threadPool: false,
    sourceMaps: false,
    busySamplesPerSecond: 0,
    onBusyWindow: () => undefined,
    onFlush: () => undefined,
    onPoolReadings: () => undefined,
    openRequests: () => undefined,
    onPoolStarvation: () => undefined,
    onRelayedBlock: () => undefined,
    liveness: undefined,
    livenessCulprit: () => undefined,
    onBlock: () => undefined,
    onLag: () => undefined,
    onProblem,
    hangReport: () => undefined,
    wantsHangNotices: () => false,
    onHang: () => undefined,
    hangDestination: () => undefined,
  };
}

test('an error of one subscriber is reported once, and the others are called', () => {
  const problems: string[] = [];
  const subscribers = new Subscribers();
  const broken = subscriber((message) => problems.push(message));
  subscribers.add(broken);
  subscribers.add(subscriber(() => undefined));
  const call = (): string[] =>
    subscribers.each((one) => {
      if (one === broken) throw new Error('a hostile span');
      return 'answer';
    });
  expect([call(), call(), call()]).toEqual([['answer'], ['answer'], ['answer']]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^Failed to report a block: Error: a hostile span/);
});

test('a logger that throws does not make reportError throw', () => {
  const subscribers = new Subscribers();
  subscribers.add(
    subscriber(() => {
      throw new Error('a broken logger');
    }),
  );
  expect(() => {
    subscribers.reportError('It has failed', new Error('why'));
  }).not.toThrow();
});

test('an error without a text does not make reportError throw', () => {
  const subscribers = new Subscribers();
  subscribers.add(subscriber(() => undefined));
  const withoutText = {
    toString() {
      throw new Error('no text');
    },
  };
  expect(() => {
    subscribers.reportError('It has failed', withoutText);
  }).not.toThrow();
});

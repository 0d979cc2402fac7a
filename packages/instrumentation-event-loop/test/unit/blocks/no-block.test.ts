import { describe, expect, test } from '@jest/globals';
import { isNoBlock } from '../../../src/blocks/no-block.js';
import type { Segment } from '../../../src/blocks/segments.js';
import type { Block } from '../../../src/contract/model.js';
import { attribution, block, busyPeriod, frame, nodeFrame, telemetryFrame, segment } from '../support/builders.js';

const detection = [nodeFrame('compileSourceTextModule'), telemetryFrame('getMachineId', { isAsync: true })];
const calm = { cpuMs: 190, runQueueMs: 4, gcMs: 0 };
const starved = { cpuMs: 20, runQueueMs: 175, gcMs: 0 };
const context = { thresholdMs: 100, isSampled: true, ownWork: [], sdkStart: undefined };

function isTelemetryWork(of: Block, segments: readonly Segment[], given: typeof context | typeof startsSdk): boolean {
  return isNoBlock(of, segments, busyPeriod(), given);
}

const startsSdk = { ...context, sdkStart: { start: 900, end: 1190 } };

describe('a sleep', () => {
  const asleep = { threadId: 3, attribution: attribution({ cause: 'waiting' }) };
  const unsampled = { ...context, isSampled: false };

  test('of a worker that no sample shows is not reported: the worker may have waited for its next task', () => {
    expect(isNoBlock(block(asleep), [segment([], 200)], busyPeriod(), unsampled)).toBe(true);
    expect(isNoBlock(block({ ...asleep, threadId: 0 }), [segment([], 200)], busyPeriod(), unsampled)).toBe(false);
    expect(isNoBlock(block(asleep), [], busyPeriod(), unsampled)).toBe(false);
  });

  test('that was reported as a hang remains', () => {
    const hang = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
    expect(isNoBlock(block({ attribution: attribution({ cause: 'waiting' }) }), [], busyPeriod(), context)).toBe(true);
    expect(isNoBlock(block({ ...asleep, threadId: 0, hang }), [], busyPeriod(), context)).toBe(false);
  });
});

describe('while the SDK starts that this package has started, a block', () => {
  test('in which it detects its resource is not the work of the application', () => {
    expect(isTelemetryWork(block({ times: calm }), [segment(detection, 200)], startsSdk)).toBe(true);
  });

  test('without a sample is not the work of the application if it only waited for a CPU', () => {
    expect(isTelemetryWork(block({ times: starved }), [], startsSdk)).toBe(true);
    expect(isTelemetryWork(block({ times: calm }), [], startsSdk)).toBe(false);
  });

  test('without a sample, in whose iteration the load begins, is not the work of the application', () => {
    for (const start of [1100, 1200]) {
      const begins = { ...context, sdkStart: { start, end: Infinity } };
      expect(isTelemetryWork(block({ times: calm }), [], begins)).toBe(true);
      expect(isTelemetryWork(block({ times: calm }), [segment([frame('createSpans')], 200)], begins)).toBe(false);
    }
  });

  test('in which the application runs for the threshold remains', () => {
    const both = (ms: number) => [segment(detection, 200 - ms), segment([frame('createSpans')], ms)];
    expect(isTelemetryWork(block(), both(100), startsSdk)).toBe(false);
    expect(isTelemetryWork(block(), both(99), startsSdk)).toBe(true);
  });

  test('in which the application calls the telemetry remains', () => {
    const stack = [telemetryFrame('startSpan'), frame('createSpans')];
    expect(isTelemetryWork(block(), [segment(stack, 200)], startsSdk)).toBe(false);
  });

  test('in which only Node.js is seen remains', () => {
    expect(isTelemetryWork(block(), [segment([nodeFrame('processTimers')], 200)], startsSdk)).toBe(false);
  });

  test('before or after it remains', () => {
    const before = { ...context, sdkStart: { start: 1201, end: Infinity } };
    const after = { ...context, sdkStart: { start: 0, end: 1000 } };
    for (const other of [before, after, context]) {
      expect(isTelemetryWork(block(), [segment(detection, 200)], other)).toBe(false);
    }
  });
});

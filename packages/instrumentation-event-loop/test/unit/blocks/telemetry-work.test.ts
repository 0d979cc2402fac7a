import { describe, expect, test } from '@jest/globals';
import { isTelemetryWork } from '../../../src/blocks/telemetry-work.js';
import { block, frame, nodeFrame, telemetryFrame, weighted } from '../support/builders.js';

const detection = [nodeFrame('compileSourceTextModule'), telemetryFrame('getMachineId', { isAsync: true })];
const calm = { cpuMs: 190, runQueueMs: 4, gcMs: 0 };
const starved = { cpuMs: 20, runQueueMs: 175, gcMs: 0 };
const context = { thresholdMs: 100, ownWork: [], sdkStart: undefined };
const startsSdk = { ...context, sdkStart: { start: 900, end: 1190 } };

describe('while the SDK starts that this package has started, a block', () => {
  test('in which it detects its resource is not the work of the application', () => {
    expect(isTelemetryWork(block({ times: calm }), [weighted(detection, 200)], startsSdk)).toBe(true);
  });

  test('without a sample is not the work of the application if it only waited for a CPU', () => {
    expect(isTelemetryWork(block({ times: starved }), [], startsSdk)).toBe(true);
    expect(isTelemetryWork(block({ times: calm }), [], startsSdk)).toBe(false);
  });

  test('without a sample, in whose iteration the load begins, is not the work of the application', () => {
    for (const start of [1100, 1200]) {
      const begins = { ...context, sdkStart: { start, end: Infinity } };
      expect(isTelemetryWork(block({ times: calm }), [], begins)).toBe(true);
      expect(isTelemetryWork(block({ times: calm }), [weighted([frame('createSpans')], 200)], begins)).toBe(false);
    }
  });

  test('in which the application runs for the threshold remains', () => {
    const both = (ms: number) => [weighted(detection, 200 - ms), weighted([frame('createSpans')], ms)];
    expect(isTelemetryWork(block(), both(100), startsSdk)).toBe(false);
    expect(isTelemetryWork(block(), both(99), startsSdk)).toBe(true);
  });

  test('in which the application calls the telemetry remains', () => {
    const stack = [telemetryFrame('startSpan'), frame('createSpans')];
    expect(isTelemetryWork(block(), [weighted(stack, 200)], startsSdk)).toBe(false);
  });

  test('in which only Node.js is seen remains', () => {
    expect(isTelemetryWork(block(), [weighted([nodeFrame('processTimers')], 200)], startsSdk)).toBe(false);
  });

  test('before or after it remains', () => {
    const before = { ...context, sdkStart: { start: 1201, end: Infinity } };
    const after = { ...context, sdkStart: { start: 0, end: 1000 } };
    for (const other of [before, after, context]) {
      expect(isTelemetryWork(block(), [weighted(detection, 200)], other)).toBe(false);
    }
  });
});

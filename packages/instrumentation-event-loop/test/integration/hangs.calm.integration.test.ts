import { describe, expect, test } from '@jest/globals';
import { describeCombination, epochMs, isInTier, ofTier, oldestAndNewest } from '@loopwatch/test-support';
import type { Combination, RunResult } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_ANSWER_AGE,
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_CHILD_PROCESSES,
  ATTR_BLOCKED_CPU_TIME,
  ATTR_BLOCKED_GC_TIME,
  ATTR_BLOCKED_REQUEST,
  ATTR_BLOCKED_RUN_QUEUE_TIME,
  ATTR_BLOCKED_SAMPLE_COUNT,
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_THREAD_ID,
  ATTR_THREAD_NAME,
  METRIC_EVENT_LOOP_STALLED,
  SPAN_EVENT_LOOP_HANG,
} from '../../src/semconv.ts';
import { HangReceiver } from './hang-receiver.ts';
import { expectKilled, hangThresholdMs, killedWhen, longHang, runHang } from './hang-support.ts';
import { expectCleanExit, type FixtureOptions, spansOfBlocks } from './support.ts';
import { inAllThreads, node20, node24, node26, workerName } from './thread-support.ts';

const both = oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const);

describe('A thread that hangs and recovers', () => {
  test.concurrent.each(both)(
    '%s: is reported during the hang at doubling ages, and its block span links to the last report',
    async (_label, on) => {
      await using receiver = await HangReceiver.start();
      const result = await runHang(on, longHang, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
      expectCleanExit(result);

      const [block, ...others] = spansOfBlocks(result);
      expect(others).toEqual([]);
      const ages = receiver.hangs.map(({ durationMs }) => durationMs);
      expect(ages).toEqual([...ages].sort((a, b) => a - b));
      // One report for each doubling of the age; a starved watchdog may miss one and never adds one.
      const doublings = ages.map((age) => Math.floor(Math.log2(age / hangThresholdMs)));
      expect([
        [0, 1, 2],
        [0, 1],
        [0, 2],
        [1, 2],
      ]).toContainEqual(doublings);

      for (const hang of receiver.hangs) {
        expect(hang).toMatchObject({
          name: SPAN_EVENT_LOOP_HANG,
          ...traceAndParentOf(result),
          resource: block?.resource,
        });
        expect(hang.attributes).toMatchObject({
          [ATTR_CODE_FUNCTION_NAME]: 'computeForecast',
          [ATTR_BLOCKED_STACK_QUALITY]: 'live',
          [ATTR_BLOCKED_REQUEST]: 'request',
          [ATTR_THREAD_ID]: 0,
          [ATTR_THREAD_NAME]: 'main',
        });
        const startErrorMs = hang.startEpochMs - epochMs(block!.startTime);
        expect(Math.abs(startErrorMs) / longHang.ms).toBeLessThan(0.05);
      }
      expect(block).toMatchObject(traceAndParentOf(result));
      expect(block?.attributes[ATTR_CODE_FUNCTION_NAME]).toBe('computeForecast');
      expect(block?.links.map(({ spanId }) => spanId)).toEqual([receiver.hangs.at(-1)?.spanId]);

      expect(new Set(receiver.gauges.map(({ name }) => name))).toEqual(new Set([METRIC_EVENT_LOOP_STALLED]));
      const stalledSeconds = receiver.gauges.map(({ value }) => value);
      expect(stalledSeconds[0]).toBeGreaterThanOrEqual(1);
      expect(stalledSeconds).toEqual([...stalledSeconds.slice(0, -1).sort((a, b) => a - b), 0]);
      for (const { attributes, resource } of receiver.gauges) {
        expect(attributes).toEqual({ [ATTR_THREAD_ID]: 0, [ATTR_THREAD_NAME]: 'main' });
        expect(resource).toEqual(block?.resource);
      }
    },
  );

  test.concurrent.each(ofTier([node20, node24]).map((on) => [describeCombination(on), on] as const))(
    '%s: is reported with its own id and name when it is a worker',
    async (_label, on) => {
      await using receiver = await HangReceiver.start();
      const result = await runHang(
        on,
        longHang,
        { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
        {
          ...(await inAllThreads(on)),
          args: [longHang.way, String(longHang.ms), 'in-worker'],
        },
      );
      expectCleanExit(result);
      const [block] = spansOfBlocks(result);
      expect(block?.attributes[ATTR_THREAD_ID]).toBe(result.truths[0]?.threadId);
      const thread = {
        [ATTR_THREAD_ID]: result.truths[0]?.threadId,
        [ATTR_THREAD_NAME]: workerName(on, 'forecaster'),
      };
      const hangs = receiver.hangs.filter(({ attributes }) => attributes[ATTR_THREAD_ID] !== 0);
      expect(hangs.length).toBeGreaterThan(0);
      for (const hang of hangs) {
        expect(hang).toMatchObject(traceAndParentOf(result));
        expect(hang.attributes).toMatchObject({ ...thread, [ATTR_CODE_FUNCTION_NAME]: 'computeForecast' });
      }
      expect(block?.links.map(({ spanId }) => spanId)).toEqual([hangs.at(-1)?.spanId]);
      const gauges = receiver.gauges.filter(({ attributes }) => attributes[ATTR_THREAD_ID] !== 0);
      expect(gauges[0]?.attributes).toEqual(thread);
      expect(gauges.at(-1)?.value).toBe(0);
    },
  );
});

describe('A thread that never recovers is reported before SIGKILL ends it, when it hangs in', () => {
  const interruptible = [
    ['an endless microtask queue', 'microtasks', 'drainQueueForever', node24],
    ['an endless microtask queue', 'microtasks', 'drainQueueForever', node20],
    ['an endless microtask queue', 'microtasks', 'drainQueueForever', node26],
    ['a regular expression that backtracks', 'regex', 'validateComment', node24],
  ] as const;

  test.concurrent.each(
    interruptible
      .filter((row) => isInTier(row[3]))
      .map(([label, ...rest]) => [label, describeCombination(rest[2]), ...rest] as const),
  )('%s (%s)', async (_label, __combination, way, culprit, on) => {
    await using receiver = await HangReceiver.start();
    const result = await hangForever(receiver, way, on);
    for (const hang of receiver.hangs) {
      expect(hang).toMatchObject(traceAndParentOf(result));
      expect(hang.attributes[ATTR_CODE_FUNCTION_NAME]).toBe(culprit);
    }
    expect(receiver.gauges[0]?.value).toBeGreaterThanOrEqual(1);
  });

  const uninterruptible = [
    ['an endless native call', 'native', 'native', node24],
    ['an endless native call', 'native', 'native', node20],
    ['an endless execSync', 'execSync', 'waiting', node24],
  ] as const;

  test.concurrent.each(
    uninterruptible
      .filter((row) => isInTier(row[3]))
      .map(([label, ...rest]) => [label, describeCombination(rest[2]), ...rest] as const),
  )('%s, without a culprit and with what the kernel shows (%s)', async (_label, __combination, way, cause, on) => {
    await using receiver = await HangReceiver.start();
    const hasTimes = ({ attributes }: HangReceiver['hangs'][number]): boolean => ATTR_BLOCKED_CPU_TIME in attributes;
    await hangForever(receiver, way, on, ({ hangs }) => hangs.length > 1 && hasTimes(hangs.at(-1)!));
    // A watchdog that has waited for a CPU itself reads a thread's times late: then only later reports can say them.
    const timed = receiver.hangs.filter(hasTimes);
    expect(receiver.hangs.slice(-timed.length)).toEqual(timed);
    for (const { attributes, durationMs } of timed) {
      const cpuShare = Number(attributes[ATTR_BLOCKED_CPU_TIME]) / (durationMs / 1000);
      expect(cpuShare).toBeLessThanOrEqual(cause === 'waiting' ? 0.5 : 1);
    }
    for (const { parentSpanId, attributes } of receiver.hangs) {
      expect(parentSpanId).toBeUndefined();
      expect(attributes).toMatchObject({
        [ATTR_BLOCKED_CAUSE]: cause,
        [ATTR_BLOCKED_STACK_QUALITY]: 'none',
        [ATTR_THREAD_ID]: 0,
        [ATTR_THREAD_NAME]: 'main',
      });
      expect(attributes).not.toHaveProperty([ATTR_BLOCKED_GC_TIME]);
      expect(attributes).not.toHaveProperty([ATTR_BLOCKED_ANSWER_AGE]);
    }
    const children = receiver.hangs.map(({ attributes }) => attributes[ATTR_BLOCKED_CHILD_PROCESSES]);
    const named = children.filter((names) => /^.+ \(\d+\)$/.test(String(names)));
    expect(named).toHaveLength(cause === 'waiting' ? children.length : 0);
    expect(receiver.hangs[0]?.resource['service.name']).toMatch(/^unknown_service/);
  });

  test.concurrent(
    `JavaScript in a worker thread that no question reaches, without a cause (${describeCombination(node24)})`,
    async () => {
      await using receiver = await HangReceiver.start();
      const ofWorker = ({ attributes }: HangReceiver['hangs'][number]): boolean => attributes[ATTR_THREAD_ID] !== 0;
      const isEnough = ({ hangs }: HangReceiver): boolean => hangs.filter(ofWorker).length > 1;
      await hangForever(receiver, 'beside-worker', node24, isEnough, await inAllThreads(node24));
      for (const { attributes } of receiver.hangs.filter(ofWorker)) {
        expect(attributes).toMatchObject({ [ATTR_BLOCKED_CAUSE]: 'unknown', [ATTR_BLOCKED_STACK_QUALITY]: 'none' });
      }
    },
  );

  test.concurrent(
    `a native call after an answer, with the request of that answer and its age (${describeCombination(node24)})`,
    async () => {
      await using receiver = await HangReceiver.start();
      const result = await hangForever(receiver, 'late-native', node24, ({ hangs }) => hangs.length > 2);
      const last = receiver.hangs.at(-1)!;
      expect(last).toMatchObject(traceAndParentOf(result));
      expect(last.attributes).toMatchObject({
        [ATTR_BLOCKED_STACK_QUALITY]: 'none',
        [ATTR_BLOCKED_REQUEST]: 'request',
        [ATTR_BLOCKED_CAUSE]: 'native',
      });
      expect(last.attributes).not.toHaveProperty([ATTR_CODE_FUNCTION_NAME]);
      const answerAgeMs = Number(last.attributes[ATTR_BLOCKED_ANSWER_AGE]) * 1000;
      expect(answerAgeMs / last.durationMs).toBeGreaterThan(0.5);
      expect(answerAgeMs / last.durationMs).toBeLessThan(1);
    },
  );
});

describe('Each hang report is of its own moment', () => {
  test.concurrent.each(both)(
    '%s: its function, times and samples are not those of an earlier one',
    async (_label, on) => {
      await using receiver = await HangReceiver.start();
      await hangForever(receiver, 'stages', on, ({ hangs }) => hangs.length > 3);
      const { hangs } = receiver;
      expect(hangs.at(-1)?.attributes[ATTR_CODE_FUNCTION_NAME]).toBe('pollUntilReady');
      const countsOf = (name: string): number[] => hangs.map(({ attributes }) => Number(attributes[name]));
      for (const name of [ATTR_BLOCKED_SAMPLE_COUNT, ATTR_BLOCKED_CPU_TIME]) {
        const counts = countsOf(name);
        expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b));
      }
      for (const { attributes, durationMs } of hangs) {
        const [cpu, queued] = [ATTR_BLOCKED_CPU_TIME, ATTR_BLOCKED_RUN_QUEUE_TIME].map((name) =>
          Number(attributes[name]),
        );
        // A hypervisor may take the CPU, too.
        expect((cpu! + queued!) * 1000).toBeLessThanOrEqual(durationMs * 1.05);
        expect((cpu! + queued!) * 1000).toBeGreaterThan(durationMs * 0.6);
      }
    },
  );

  test.concurrent.each(both)('%s: collections are measured while it lasts', async (_label, on) => {
    await using receiver = await HangReceiver.start();
    await hangForever(receiver, 'collections', on);
    for (const { attributes, durationMs } of receiver.hangs) {
      expect(attributes[ATTR_BLOCKED_CAUSE]).toBe('gc');
      expect((Number(attributes[ATTR_BLOCKED_GC_TIME]) * 1000) / durationMs).toBeGreaterThan(0.5);
    }
  });
});

/** Runs an endless hang and kills it after two reports, or more, and a value of the gauge. */
async function hangForever(
  receiver: HangReceiver,
  way: string,
  on: Combination,
  isEnough = ({ hangs }: HangReceiver): boolean => hangs.length > 1,
  options: FixtureOptions = {},
): Promise<RunResult> {
  const result = await runHang(
    on,
    { way },
    { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    { ...options, ...killedWhen(receiver, () => isEnough(receiver) && receiver.gauges.length > 0) },
  );
  expectKilled(result);
  return result;
}

/** Trace and parent of the fixture's block and of its hang reports. */
function traceAndParentOf(result: RunResult): { readonly traceId: string; readonly parentSpanId: string } {
  const { traceId, spanId } = result.notes.get('request') as { readonly traceId: string; readonly spanId: string };
  return { traceId, parentSpanId: spanId };
}

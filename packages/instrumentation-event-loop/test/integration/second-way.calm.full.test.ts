import { describe, expect, test } from '@jest/globals';
import { describeCombination, sampledCombinations } from '@loopwatch/test-support';
import type { Combination, RunResult, SpanRecord } from '@loopwatch/test-support';

import { Asking, Header, REGISTRY_KEY } from '../../src/contract/registry-layout.ts';
import { ATTR_BLOCKED_SAMPLE_COUNT, ATTR_CODE_FUNCTION_NAME } from '../../src/semconv.ts';
import { HangReceiver } from './hang-receiver.ts';
import { longHang, runHang } from './hang-support.ts';
import { nextNode } from './next-node.ts';
import { expectCleanExit, spansOfBlocks } from './support.ts';
import type { FixtureOptions } from './support.ts';
import { inAllThreads, node24, runOnce } from './thread-support.ts';

const PROGRAM = 'unanswered-interrupts.cjs';

const runPlan = (on: Combination, plan: string, options: FixtureOptions = {}): Promise<RunResult> =>
  runOnce(on, PROGRAM, { args: [plan, REGISTRY_KEY, String(Header.asking)], ...options });

const askingAfter = ({ notes }: RunResult, block: number): number => Number(notes.get(`asking ${block}`));
const culpritOf = (span: SpanRecord | undefined): unknown => span?.attributes[ATTR_CODE_FUNCTION_NAME];

const on = (...majors: Parameters<typeof sampledCombinations>) =>
  sampledCombinations(...majors).map((combination) => [describeCombination(combination), combination] as const);

describe('Where V8 answers nothing in an interrupt', () => {
  test.concurrent.each(on(20, 26))(
    '%s: the watchdog stops the thread instead, after a block that it has not understood',
    async (_, combination) => {
      const result = await runPlan(combination, 'blocks', nextNode());
      expectCleanExit(result);
      expect(result.stderr).toBe('');
      expect(askingAfter(result, 1)).toBe(Asking.byPause);
      const spans = spansOfBlocks(result);
      expect(spans).toHaveLength(2);
      expect(culpritOf(spans[1])).toBe('computeAtStops');
      expect(spans[1]?.attributes[ATTR_BLOCKED_SAMPLE_COUNT]).toBeGreaterThan(0);
    },
  );

  test.concurrent.each(on(26))('%s: a worker thread is stopped through the main thread', async (_, combination) => {
    const { flags, env } = nextNode({ isKnown: true });
    const options = await inAllThreads(combination);
    const result = await runPlan(combination, 'worker', {
      ...options,
      flags: [...flags, ...(options.flags ?? [])],
      env,
    });
    expectCleanExit(result);
    const [truth] = result.truths;
    expect(
      spansOfBlocks(result)
        .filter(({ attributes }) => attributes['thread.id'] === truth?.threadId)
        .map(culpritOf),
    ).toEqual(['computeAtStops']);
  });

  test.concurrent.each(on(20))(
    '%s: a program that exits in its block has its own exit code and output',
    async (_, combination) => {
      const result = await runPlan(combination, 'exit', nextNode({ isKnown: true }));
      expect([result.exitCode, result.stderr]).toEqual([3, '']);
    },
  );
});

test.concurrent(
  'A debugger within the process holds the thread for as long as it wants, while the watchdog asks by stops',
  async () => {
    const result = await runPlan(node24, 'debugged', nextNode({ isKnown: true }));
    expectCleanExit(result);
    expect(result.notes.get('debugger')).toBe('held');
  },
);

// Only the first report, at 0.6 s, may be due before the first stop: a stop costs more than an interrupt, and comes later.
test.concurrent('A hang has its function in its reports, once the thread has been stopped', async () => {
  await using receiver = await HangReceiver.start();
  const result = await runHang(
    node24,
    longHang,
    { ...nextNode({ isKnown: true }).env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    { flags: nextNode().flags },
  );
  expectCleanExit(result);
  const [first, ...others] = receiver.hangs.map(({ attributes }) => attributes[ATTR_CODE_FUNCTION_NAME]);
  expect([undefined, 'computeForecast']).toContain(first);
  expect(others.length).toBeGreaterThan(0);
  expect(new Set(others)).toEqual(new Set(['computeForecast']));
  expect(culpritOf(spansOfBlocks(result)[0])).toBe('computeForecast');
});

test.concurrent('Where a thread answers in no way, blocks are reported without their code', async () => {
  const result = await runPlan(node24, 'three', nextNode({ how: 'deaf' }));
  expectCleanExit(result);
  expect(askingAfter(result, 3)).toBe(Asking.impossible);
  expect(spansOfBlocks(result).map(culpritOf)).toEqual([undefined, undefined, undefined, undefined]);
});

test.concurrent.each(on(22))(
  '%s: native calls, which answer nothing for long, stop no thread',
  async (_, combination) => {
    const result = await runPlan(combination, 'native');
    expectCleanExit(result);
    expect([Asking.unknown, Asking.byInterrupt]).toContain(askingAfter(result, 2));
  },
);

import { describe, expect, test } from '@jest/globals';
import { blockedSpans, describeCombination, isInTier } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_CODE_STACKTRACE,
  ATTR_THREAD_ID,
  ATTR_THREAD_NAME,
} from '../../src/semconv.ts';
import { expectCleanExit, expectUnstarved } from './support.ts';
import { inAllThreads, node20, node24, spansOfTruth } from './thread-support.ts';

describe('On Node 24, blocks are reported with a live stack and for the right thread', () => {
  test('when workers without the instrumentation come and go', () =>
    expectUnstarved(async (run) => {
      const result = await run(node24, 'worker-uninstrumented.cjs', await inAllThreads(node24));
      expectCleanExit(result);
      expect(result.stdout).toBe(`${Array.from({ length: 12 }, () => 7).join(' ')}\n`);
      const [span, ...others] = spansOfTruth(result, result.truths[0]!);
      expect(others).toEqual([]);
      expect(span?.attributes).toMatchObject({ [ATTR_THREAD_NAME]: 'host', [ATTR_BLOCKED_STACK_QUALITY]: 'live' });
      expect(span?.attributes[ATTR_CODE_STACKTRACE]).toMatch(/blockAmongUninstrumented/);
    }));
});

test.concurrent.each(['exits', 'is terminated'])(
  'When the worker that started the watchdog %s, the other worker starts another watchdog',
  (end) =>
    expectUnstarved(async (run) => {
      const options = { preload: 'none', args: [end], timeoutMs: 60_000 } as const;
      const result = await run(node24, 'worker-successor.cjs', options);
      expectCleanExit(result);
      expect(result.notes.get('reported')).toEqual(['live', 'blockOfSuccessor']);
    }),
);

describe('Several processes:', () => {
  const kinds = [
    ['cluster workers', 'cluster', node24],
    ['forked children', 'fork', node20],
  ] as const;

  test.each(
    kinds
      .filter(([, , on]) => isInTier(on))
      .map(([label, kind, on]) => [label, describeCombination(on), kind, on] as const),
  )('%s report their own blocks (%s)', (_label, __combination, kind, combination) =>
    expectUnstarved(async (run) => {
      const options = { ...(await inAllThreads(combination)), args: [kind] };
      const result = await run(combination, 'worker-processes.cjs', options);
      expectCleanExit(result);
      expect(result.stdout).toBe('exited with 0\nexited with 0\n');
      expect(result.truths.map(({ id }) => id).sort()).toEqual(['first', 'primary', 'second']);
      const stacks = { primary: 'blockPrimary', first: 'blockFirstChild', second: 'blockSecondChild' };
      for (const { id, spanId } of result.truths) {
        const [span, ...others] = blockedSpans(result).filter(({ parentSpanId }) => parentSpanId === spanId);
        expect(others).toEqual([]);
        expect(span?.attributes).toMatchObject({ [ATTR_THREAD_ID]: 0, [ATTR_THREAD_NAME]: 'main' });
        expect(span?.attributes[ATTR_CODE_STACKTRACE]).toContain(stacks[id as keyof typeof stacks]);
      }
    }),
  );
});

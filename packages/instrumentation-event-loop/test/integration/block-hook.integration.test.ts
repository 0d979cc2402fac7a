import { describe, expect, test } from '@jest/globals';
import { describeCombination, oldestAndNewest } from '@loopwatch/test-support';

import { expectUnstarved, spansOfBlocks } from './support.ts';

describe.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: a blockHook',
  (_label, combination) => {
    test('receives a frozen BlockInfo and can add attributes to the span', () =>
      expectUnstarved(async (run) => {
        const result = await run(combination, 'block-hook.cjs', { preload: 'none', args: ['annotate'] });
        const attributes = spansOfBlocks(result)[0]?.attributes;
        expect(attributes).toHaveProperty('team', 'billing');
        expect(result.notes.get('block')).toMatchObject({
          // On a busy host, the block may have waited for a CPU for most of its time.
          cause: attributes?.['event_loop.blocked.cause'],
          stackQuality: 'live',
          threadId: 0,
          threadName: 'main',
          suppressedCount: 0,
          isFrozen: true,
          hasContext: 'function',
        });
      }));

    test('that throws loses no span and is logged once through diag', () =>
      expectUnstarved(async (run) => {
        const result = await run(combination, 'block-hook.cjs', { preload: 'none', args: ['throw'] });
        expect(result.exitCode).toBe(0);
        expect(spansOfBlocks(result)).toHaveLength(1);
        const reports = result.diags.filter(({ message }) => message.includes('the hook of the user fails'));
        expect(reports).toHaveLength(1);
      }));
  },
);

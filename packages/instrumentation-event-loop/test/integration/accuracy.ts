import { blockedSpans, epochMs } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import { expectCleanExit, runFixture } from './support.ts';

interface HookedBlock {
  readonly startTime: number;
  readonly endTime: number;
}

/** How far our times were off, in milliseconds, one value a block. */
export interface Accuracy {
  /** Blocks that were found at all. */
  readonly found: number;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly spanStarts: readonly number[];
  readonly spanEnds: readonly number[];
}

/** Blocks that often on an idle loop, and holds every block's start and end against the program's own clock. */
export async function measureAccuracy(combination: Combination, blocks: number): Promise<Accuracy> {
  const result = await runFixture(combination, 'many-blocks.cjs', { preload: 'none', args: [String(blocks)] });
  expectCleanExit(result);
  const hooked = result.notes.get('hooked') as readonly HookedBlock[];
  const spans = blockedSpans(result);
  const pairs = result.truths.flatMap((truth) => {
    const middle = (truth.startNowMs + truth.endNowMs) / 2;
    const middleEpoch = (truth.startEpochMs + truth.endEpochMs) / 2;
    const block = hooked.find(({ startTime, endTime }) => startTime < middle && endTime > middle);
    const span = spans.find(
      ({ startTime, endTime }) => epochMs(startTime) < middleEpoch && epochMs(endTime) > middleEpoch,
    );
    return block && span ? [{ truth, block, span }] : [];
  });
  return {
    found: pairs.length,
    starts: pairs.map(({ truth, block }) => Math.abs(block.startTime - truth.startNowMs)),
    ends: pairs.map(({ truth, block }) => Math.abs(block.endTime - truth.endNowMs)),
    spanStarts: pairs.map(({ truth, span }) => Math.abs(epochMs(span.startTime) - truth.startEpochMs)),
    spanEnds: pairs.map(({ truth, span }) => Math.abs(epochMs(span.endTime) - truth.endEpochMs)),
  };
}

import { blockedSpans, epochMs } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import { expectCleanExit, runFixture } from './support.ts';

interface HookedBlock {
  readonly startTime: number;
  readonly endTime: number;
}

/** Errors of the reported times, in milliseconds, one value for each block. */
export interface Accuracy {
  /** Number of blocks that were reported. */
  readonly found: number;
  /** How long each block lasted by the program's own clock, ms. */
  readonly lengths: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly spanStarts: readonly number[];
  readonly spanEnds: readonly number[];
}

/** Makes `blocks` blocks on an idle loop and compares the start and end of each with the program's own measurement. */
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
    lengths: pairs.map(({ truth }) => truth.endNowMs - truth.startNowMs),
    starts: pairs.map(({ truth, block }) => Math.abs(block.startTime - truth.startNowMs)),
    ends: pairs.map(({ truth, block }) => Math.abs(block.endTime - truth.endNowMs)),
    spanStarts: pairs.map(({ truth, span }) => Math.abs(epochMs(span.startTime) - truth.startEpochMs)),
    spanEnds: pairs.map(({ truth, span }) => Math.abs(epochMs(span.endTime) - truth.endEpochMs)),
  };
}

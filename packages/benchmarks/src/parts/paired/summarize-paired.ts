import { median } from '@loopwatch/test-support';

import type { Ratio } from '../../statistics/estimate.ts';
import { estimateRatio } from '../../statistics/signed-rank.ts';
import type { PairedBlock, Phase } from './measure-paired.ts';
import type { BatchCost } from './batch-cost.ts';

export interface PairedSummary {
  readonly cpuMicrosecondsPerRequest: number;
  /** CPU while serving, with the instrumentation to without. */
  readonly serving: Ratio;
  /** The same where nothing was switched on: what chance does. */
  readonly control: Ratio;
  /** All CPU of the process, which was at rest for a bit more than half of the time. */
  readonly total: Ratio;
  /** `serving` of each pair of processes alone. */
  readonly servingOfPairs: readonly number[];
  readonly blocks: number;
}

export function summarizePaired(
  blocksOfPairs: readonly (readonly PairedBlock[])[],
  batchRequests: number,
): PairedSummary {
  const all = blocksOfPairs.flat();
  const blocks = all.filter(({ isControl }) => !isControl);
  const controls = all.filter(({ isControl }) => isControl);
  const perRequest = ({ first, second }: Phase): number =>
    (first.servingMicroseconds + second.servingMicroseconds) / (2 * batchRequests);
  return {
    cpuMicrosecondsPerRequest: median(controls.flatMap(({ firstOn, secondOn }) => [firstOn, secondOn].map(perRequest))),
    serving: estimateRatio(blocks.map((block) => logEffect(block, 'servingMicroseconds'))),
    control: estimateRatio(controls.map((block) => logEffect(block, 'servingMicroseconds'))),
    total: estimateRatio(blocks.map((block) => logEffect(block, 'totalMicroseconds'))),
    servingOfPairs: blocksOfPairs.map(
      (ofPair) =>
        estimateRatio(
          ofPair.filter(({ isControl }) => !isControl).map((block) => logEffect(block, 'servingMicroseconds')),
        ).value,
    ),
    blocks: blocks.length,
  };
}

/** How much dearer the one with the instrumentation is; that the processes are not alike cancels between the phases. */
function logEffect({ firstOn, secondOn }: PairedBlock, cost: keyof BatchCost): number {
  return (logRatio(firstOn, cost) - logRatio(secondOn, cost)) / 2;
}

function logRatio({ first, second }: Phase, cost: keyof BatchCost): number {
  return Math.log(first[cost] / second[cost]);
}

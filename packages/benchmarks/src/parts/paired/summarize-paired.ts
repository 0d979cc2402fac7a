import { median } from '@loopwatch/test-support';

import type { Ratio } from '../../statistics/estimate.ts';
import { estimateRatio } from '../../statistics/signed-rank.ts';
import type { PairedTrial, Phase } from './measure-paired.ts';
import type { BatchCost } from './batch-cost.ts';

export interface PairedSummary {
  readonly cpuMicrosecondsPerRequest: number;
  /** CPU while serving: the process with the instrumentation on, relative to the one with it off. */
  readonly serving: Ratio;
  /** The same in the control trials, where the instrumentation stays off: the noise. */
  readonly control: Ratio;
  /** The same for all CPU of the process, which is idle for slightly more than half of the time. */
  readonly total: Ratio;
  /** `serving` of each single pair of processes. */
  readonly servingOfPairs: readonly number[];
  /** Number of measured trials. */
  readonly blocks: number;
}

export function summarizePaired(
  trialsOfPairs: readonly (readonly PairedTrial[])[],
  batchRequests: number,
): PairedSummary {
  const all = trialsOfPairs.flat();
  const trials = all.filter(({ isControl }) => !isControl);
  const controls = all.filter(({ isControl }) => isControl);
  const perRequest = ({ first, second }: Phase): number =>
    (first.servingMicroseconds + second.servingMicroseconds) / (2 * batchRequests);
  return {
    cpuMicrosecondsPerRequest: median(controls.flatMap(({ firstOn, secondOn }) => [firstOn, secondOn].map(perRequest))),
    serving: estimateRatio(trials.map((trial) => logEffect(trial, 'servingMicroseconds'))),
    control: estimateRatio(controls.map((trial) => logEffect(trial, 'servingMicroseconds'))),
    total: estimateRatio(trials.map((trial) => logEffect(trial, 'totalMicroseconds'))),
    servingOfPairs: trialsOfPairs.map(
      (ofPair) =>
        estimateRatio(
          ofPair.filter(({ isControl }) => !isControl).map((trial) => logEffect(trial, 'servingMicroseconds')),
        ).value,
    ),
    blocks: trials.length,
  };
}

/**
 * How much more the process with the instrumentation costs. A difference between the processes themselves cancels out.
 */
function logEffect({ firstOn, secondOn }: PairedTrial, cost: keyof BatchCost): number {
  return (logRatio(firstOn, cost) - logRatio(secondOn, cost)) / 2;
}

function logRatio({ first, second }: Phase, cost: keyof BatchCost): number {
  return Math.log(first[cost] / second[cost]);
}

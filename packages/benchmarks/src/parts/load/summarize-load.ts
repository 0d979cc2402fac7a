import { median } from '@loopwatch/test-support';

import type { Cell, Round } from './measure-load.ts';
import { pairedRatio } from '../../statistics/paired-ratio.ts';
import type { Ratio } from '../../statistics/estimate.ts';

export interface LoadSummary {
  readonly cpuMicrosecondsPerRequest: number;
  /** CPU relative to the baseline. */
  readonly cpuToBaseline: Ratio;
  /** CPU relative to the control; absent for peers that do not run on its SDK. */
  readonly cpuToControl?: Ratio;
  readonly p99Ms: number;
  readonly p99ToBaseline: Ratio;
  readonly rssBytes: number;
  readonly readyMs: number;
}

export function summarizeLoad(
  rounds: readonly Round[],
  peerName: string,
  baselineName: string,
  controlName?: string,
): LoadSummary {
  const cells = cellsOf(rounds, peerName);
  const baseline = cellsOf(rounds, baselineName);
  return {
    cpuMicrosecondsPerRequest: median(cells.flatMap((cell) => cell.cpuMicrosecondsPerRequest)),
    cpuToBaseline: cpuRatio(cells, baseline),
    ...(controlName === undefined ? {} : { cpuToControl: cpuRatio(cells, cellsOf(rounds, controlName)) }),
    p99Ms: median(cells.map(({ p99Ms }) => p99Ms)),
    p99ToBaseline: pairedRatio(
      cells.map(({ p99Ms }) => p99Ms),
      baseline.map(({ p99Ms }) => p99Ms),
    ),
    rssBytes: median(cells.map(({ rssBytes }) => rssBytes)),
    readyMs: median(cells.map(({ readyMs }) => readyMs)),
  };
}

/** Each round counts once, with the median of its passes: windows of one process are not independent measurements. */
function cpuRatio(cells: readonly Cell[], others: readonly Cell[]): Ratio {
  const ofRounds = cells.map(({ cpuMicrosecondsPerRequest }, round) =>
    median(cpuMicrosecondsPerRequest.map((value, pass) => value / others[round]!.cpuMicrosecondsPerRequest[pass]!)),
  );
  return pairedRatio(
    ofRounds,
    ofRounds.map(() => 1),
  );
}

function cellsOf(rounds: readonly Round[], name: string): Cell[] {
  return rounds.map((round) => {
    const cell = round[name];
    if (!cell) throw new Error(`Expected measurements of ${name}, got ${Object.keys(round).join(', ')}.`);
    return cell;
  });
}

import { median } from '@loopwatch/test-support';

import { BASELINE, controlOf } from '../catalogue.ts';
import type { Peer } from '../catalogue.ts';
import type { Ratio } from '../statistics/estimate.ts';
import { pairedRatio } from '../statistics/paired-ratio.ts';
import { shuffled } from '../statistics/random.ts';
import { Subject } from '../subject/subject.ts';
import type { Platform } from '../subject/subject.ts';

/** CPU time of one await and of one iteration of the event loop. */
export interface MicroResult {
  readonly awaitNanoseconds: number;
  readonly iterationNanoseconds: number;
}

/** As written to `results/`, whose keys call an iteration of the event loop a turn. */
export interface MicroSummary {
  readonly awaitNanoseconds: number;
  readonly awaitToBaseline: Ratio;
  readonly turnNanoseconds: number;
  /** What the peer adds to an iteration of the baseline, or of the control if the peer runs on its SDK. */
  readonly addedTurnNanoseconds: number;
}

/** Measures the peers in shuffled order, `rounds` times. Returns one result per round and peer. */
export async function measureMicro(
  platform: Platform,
  peers: readonly Peer[],
  { rounds, measuredMs }: { readonly rounds: number; readonly measuredMs: number },
  random: () => number,
): Promise<Record<string, MicroResult>[]> {
  const results: Record<string, MicroResult>[] = [];
  for (let round = 0; round < rounds; round++) {
    const result: Record<string, MicroResult> = {};
    for (const { name } of shuffled(peers, random)) {
      const subject = new Subject(platform, {
        program: 'awaits-and-iterations.cjs',
        args: [name],
        env: { BENCH_MICRO_MS: String(measuredMs) },
        timeoutMs: 60_000,
      });
      result[name] = await subject.nextMessage<MicroResult>();
      await subject.stop();
    }
    results.push(result);
  }
  return results;
}

export function summarizeMicro(
  peers: readonly Peer[],
  rounds: readonly Readonly<Record<string, MicroResult>>[],
): Record<string, MicroSummary> {
  const series = (name: string, key: keyof MicroResult): number[] => rounds.map((round) => round[name]![key]);
  return Object.fromEntries(
    peers.map((peer) => {
      const iterations = series(peer.name, 'iterationNanoseconds');
      const others = series(controlOf(peer) ?? BASELINE, 'iterationNanoseconds');
      return [
        peer.name,
        {
          awaitNanoseconds: median(series(peer.name, 'awaitNanoseconds')),
          awaitToBaseline: pairedRatio(series(peer.name, 'awaitNanoseconds'), series(BASELINE, 'awaitNanoseconds')),
          turnNanoseconds: median(iterations),
          addedTurnNanoseconds: median(iterations.map((iteration, round) => iteration - others[round]!)),
        },
      ];
    }),
  );
}

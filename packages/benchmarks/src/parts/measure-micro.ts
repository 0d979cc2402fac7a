import type { Peer } from '../catalogue.ts';
import { shuffled } from '../statistics/random.ts';
import { Subject } from '../subject/subject.ts';
import type { Platform } from '../subject/subject.ts';

/** CPU time of one await and of one turn of the loop. */
export interface MicroResult {
  readonly awaitNanoseconds: number;
  readonly turnNanoseconds: number;
}

/** One result a peer and round, in shuffled order. */
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
        program: 'promise-loop.cjs',
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

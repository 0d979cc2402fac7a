import { expect } from '@jest/globals';
import type { Combination } from '@loopwatch/test-support';

import type { BusyMessage } from '../../src/types.ts';
import { expectCleanExit } from './support.ts';
import { inAllThreads, runOnce } from './thread-support.ts';

type Times = Readonly<Record<string, number>>;

/** What fixtures/busy-shares.cjs has measured of itself, and what it was told. */
export interface Shares {
  /** ms that the program has measured, by request and by function. */
  readonly truth: { readonly requests: Times; readonly functions: Times };
  /** ms by the answers, for the same names. */
  readonly measured: { readonly requests: Times; readonly functions: Times };
  readonly busyMs: number;
  /** Busy time by Node.js' own clock. */
  readonly activeMs: number;
}

export async function sharesOf(
  on: Combination,
  mix: string,
  answers: number,
  {
    seed = 7,
    where = 'main',
    perSecond = 200,
  }: { readonly seed?: number; readonly where?: string; readonly perSecond?: number } = {},
): Promise<Shares> {
  const result = await runOnce(on, 'busy-shares.cjs', {
    ...(where === 'worker' ? await inAllThreads(on) : {}),
    args: [mix, String(answers), where],
    env: { LOOPWATCH_BUSY_SAMPLES_PER_SECOND: String(perSecond), LOOPWATCH_TEST_SEED: String(seed) },
  });
  expectCleanExit(result);
  const { ranMs, active, messages } = result.notes.get('busy') as {
    readonly ranMs: Shares['truth'];
    readonly active: number;
    readonly messages: readonly BusyMessage[];
  };
  const busyMs = messages.reduce((sum, message) => sum + message.busyMs, 0);
  const all = messages.flatMap(({ shares }) => shares);
  const totalMs = all.reduce((sum, { weightMs }) => sum + weightMs, 0);
  const by = (keyOf: (share: BusyMessage['shares'][number]) => string): Times => {
    const times: Record<string, number> = {};
    for (const share of all) times[keyOf(share)] = (times[keyOf(share)] ?? 0) + (busyMs * share.weightMs) / totalMs;
    return times;
  };
  return {
    truth: ranMs,
    measured: {
      requests: by(({ request }) => request ?? ''),
      functions: by(({ culprit }) => culprit?.functionName ?? ''),
    },
    busyMs,
    activeMs: active,
  };
}

/**
 * By how many points the share of each request and function differs from the truth. Both are shares of the functions and requests that the program
 * knows the time of: the loop itself and what the program does between its requests are busy time, too.
 */
export function differences({ truth, measured }: Shares): (readonly [name: string, points: number])[] {
  return (['requests', 'functions'] as const).flatMap((kind) => {
    const names = Object.keys(truth[kind]).filter((name) => name !== '');
    const sumOf = (times: Times): number => names.reduce((sum, name) => sum + (times[name] ?? 0), 0);
    return names.map((name) => {
      const truly = truth[kind][name]! / sumOf(truth[kind]);
      return [name, 100 * Math.abs((measured[kind][name] ?? 0) / sumOf(measured[kind]) - truly)] as const;
    });
  });
}

export function expectShares(shares: Shares, points: number): void {
  // The whole result is shown where one is wrong.
  expect({ shares, wrong: differences(shares).filter(([, difference]) => difference > points) }).toMatchObject({
    wrong: [],
  });
}

/** No request or function with more than 5 % of the busy time is missing. */
export function expectNothingMissing({ truth, measured, activeMs }: Shares): void {
  for (const kind of ['requests', 'functions'] as const) {
    const missing = Object.entries(truth[kind]).filter(
      ([name, ms]) => name !== '' && ms / activeMs > 0.05 && !(name in measured[kind]),
    );
    expect(missing).toEqual([]);
  }
}

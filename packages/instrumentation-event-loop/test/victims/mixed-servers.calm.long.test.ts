import { expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { runMixedServers } from './mixed-servers.ts';
import { totalsOf } from './results.ts';

/** The command `victims` runs as many as are wanted. */
const RUNS = 20;
/** Share of the victims. */
const MAX_MISSED_SHARE = 0.01;

test.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: servers whose requests block each other have no false victim, and miss hardly any',
  async (_label, combination) => {
    const runs = await runMixedServers(combination, { firstSeed: 1, runs: RUNS });
    const { victims, missedVictims } = totalsOf(runs);
    expect(victims).toBeGreaterThan(RUNS);
    expect(runs.filter(({ falseVictims }) => falseVictims.length > 0)).toEqual([]);
    expect(missedVictims / victims).toBeLessThan(MAX_MISSED_SHARE);
  },
  600_000,
);

import { describe, expect, test } from '@jest/globals';
import { casesOn, combinationPerMajor, describeCombination, isInnerTier } from '@loopwatch/test-support';

import { expectSameEnding } from './signal-support.ts';
import { fixtureTree } from './support.ts';

const kinds = [
  'no listener',
  'a listener that ends the process if it is the only one',
  'such a listener, added later',
  'a listener for one signal that sends it again',
  'a listener that sends the signal again after a while',
  'a listener that closes the server',
  'a prepended listener that exits',
  'a listener that was removed',
  'a listener that throws',
  'a listener that counts itself',
  'no listeners at all any more',
] as const;

/** A contributor waits for every second of them. */
const kindsOfTier = isInnerTier ? kinds.filter((_, i) => i % 2 === 0) : kinds;

describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: under register a signal has the same effect as without it on a program with',
  (_label, combination) => {
    test.concurrent.each(casesOn(combination, kindsOfTier))('%s', async (kind) => {
      const tree = await fixtureTree(combination);
      const signal = kinds.indexOf(kind) % 4 < 2 ? 'SIGTERM' : 'SIGINT';
      const result = await expectSameEnding({
        combination,
        tree,
        program: 'signal-listeners.cjs',
        args: [kind],
        signal,
      });
      expect(result.stdout).toContain('ready');
      expect(result.stdout).not.toContain('not reached');
    });
  },
);

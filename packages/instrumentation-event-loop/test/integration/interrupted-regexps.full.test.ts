import { describe, expect, test } from '@jest/globals';
import { describeCombination, sampledCombinations } from '@loopwatch/test-support';

import { expectCleanExit } from './support.ts';
import { runOnce } from './thread-support.ts';

// V8 is of the major, and the SDK has no part in this.
describe.each(
  sampledCombinations(20, 26).map((combination) => [describeCombination(combination), combination] as const),
)('%s: hang reports that interrupt regular expressions', (_label, combination) => {
  test('change no result of them, and end no process', async () => {
    const result = await runOnce(combination, 'interrupted-regexps.cjs', { preload: 'none' });
    expectCleanExit(result);
    // On a starved machine, fewer reports fit into the time that the program gives them.
    expect(result.notes.get('reports beside regular expressions')).toBeGreaterThan(20);
    expect(result.notes.get('wrong results')).toBe(0);
    expect(result.notes.get('reports after a regular expression')).toBeGreaterThan(0);
    expect(result.notes.get('last match')).toBe('sentinel in sentinel');
  });
});

import { afterAll, describe, expect, test } from '@jest/globals';

import { catalogue } from '../src/catalogue/catalogue.ts';
import { describeFailures } from '../src/failures.ts';
import { parseOptions } from '../src/options.ts';
import { describeFindings } from '../src/report/describe-findings.ts';
import { runFieldProgram } from '../src/run-suite.ts';
import type { ProgramResult } from '../src/run-suite.ts';

/** Installation, and every mode on each Node major. */
const PROGRAM_TIMEOUT_MS = 900_000;

const results: ProgramResult[] = [];

describe('A program of the npm registry behaves with Loopwatch as without, and no observer is a culprit', () => {
  test.each(catalogue.map((program) => [program.name, program] as const))(
    '%s',
    async (_name, program) => {
      const options = parseOptions([]);
      if (options === 'help') throw new Error('Expected options, got the help.');
      const result = await runFieldProgram(program, { ...options, onProgress: () => undefined });
      results.push(result);
      expect(describeFailures([result], { withShares: false })).toEqual([]);
    },
    PROGRAM_TIMEOUT_MS,
  );

  test("V8's profile confirms the culprits of the checked blocks of all programs, but for guesses", () => {
    expect(results.length).toBeGreaterThan(0);
    expect(describeFailures(results).filter((failure) => failure.includes('of the checked blocks'))).toEqual([]);
  });
});

afterAll(() => {
  for (const { name, findings } of results) for (const run of findings) console.log(describeFindings(name, run));
});

import { beforeAll, describe, expect, test } from '@jest/globals';
import { casesOn, combinationPerMajor, consumerWith, describeCombination } from '@loopwatch/test-support';

import { expectSameEnding } from '../signal-support.ts';
import { signalLibraries } from './extras.ts';
import { environmentTree, INSTALL_TIMEOUT_MS } from './support.ts';

const libraries = [
  'signal-exit 3',
  'signal-exit 4',
  'signal-exit 3 and 4',
  'exit-hook',
  'async-exit-hook',
  '@godaddy/terminus',
  'stoppable',
] as const;
const cases = libraries.flatMap((library) =>
  (['SIGTERM', 'SIGINT'] as const).map((signal) => [signal, library] as const),
);

describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: under register a program ends as without it on',
  (_label, combination) => {
    beforeAll(() => consumerWith(combination.sdk, signalLibraries), INSTALL_TIMEOUT_MS);

    // Each on one major: what Node.js itself does with signals, signals.waiting.integration.test.ts has on all.
    test.concurrent.each(casesOn(combination, cases, combinationPerMajor, 1))('%s with %s', async (signal, library) => {
      const tree = await environmentTree(combination.sdk, signalLibraries);
      const options = { combination, tree, program: 'signal-libraries.cjs', args: [library], signal };
      const { stdout } = await expectSameEnding(options);
      expect(stdout).toContain('ready');
    });
  },
);

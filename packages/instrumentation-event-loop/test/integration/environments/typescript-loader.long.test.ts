import path from 'node:path';

import { beforeAll, describe, test } from '@jest/globals';
import { describeCombination, oldestAndNewest } from '@loopwatch/test-support';

import { runUnstarved } from '../support.ts';
import { typescriptLoader } from './extras.ts';
import { environmentTree, expectOneBlock, INSTALL_TIMEOUT_MS } from './support.ts';

beforeAll(async () => {
  for (const { sdk } of oldestAndNewest) await environmentTree(sdk, typescriptLoader);
}, INSTALL_TIMEOUT_MS);

describe('A block in a TypeScript application that tsx loads has its culprit in the source file', () => {
  // Two Node.js majors, because tsx hooks into each in a different way.
  test.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
    '%s',
    async (_label, combination) => {
      const tree = await environmentTree(combination.sdk, typescriptLoader);
      const program = 'typescript/app.ts';
      const result = await runUnstarved({ combination, tree, program, flags: ['--import', 'tsx'] });
      const file = path.join(tree.directory, program);
      expectOneBlock(result, { functionName: 'PriceList.priceOrder', file, lines: [20, 25] });
    },
  );
});

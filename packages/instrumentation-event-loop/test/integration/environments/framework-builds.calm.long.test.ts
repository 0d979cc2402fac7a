import { beforeAll, describe, expect, test } from '@jest/globals';

import { Builds } from './builds-support.ts';
import { frameworkBuilds } from './extras.ts';
import { environmentTree, INSTALL_TIMEOUT_MS } from './support.ts';

const TIMEOUT_MS = 5 * 60_000;
/** The handlers call these, as they are in the sources, and one blocks itself. */
const functions = ['countDuplicates', 'sumPrices', 'renderRows', 'loadPrices'] as const;

const frameworks = [
  ['NestJS by tsc', 'checkOrders'],
  ['NestJS by swc', 'checkOrders'],
  ['NestJS by webpack', 'checkOrders'],
  ['Next.js by Turbopack', 'GET'],
  ['Next.js by webpack', 'GET'],
] as const;

let built: Builds;

beforeAll(async () => {
  built = new Builds(await environmentTree('sdk3', frameworkBuilds), 'framework-builds');
}, INSTALL_TIMEOUT_MS);

describe('A route handler and what it calls have function, file and line in the TypeScript source', () => {
  test.each(frameworks)(
    'in a production build of %s',
    async (name, handler) => {
      const { tasks, misses } = await built.run(name, { isCopied: true });
      expect(tasks.map((task) => task.name)).toEqual([...functions, handler]);
      expect(misses).toEqual({ places: [], names: [] });
    },
    TIMEOUT_MS,
  );
});

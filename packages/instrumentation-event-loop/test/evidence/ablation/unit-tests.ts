import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { Plugin } from 'rolldown';

/** The unit tests of blocks/, each by its name. */
export interface UnitTest {
  readonly name: string;
  readonly run: () => unknown;
}

const directory = path.resolve(import.meta.dirname, '../../unit/blocks');

/** The text of a module that exports the replay and the unit tests of blocks/, which it imports. */
export const replayWithTests = [
  `export { replay } from ${JSON.stringify(path.resolve(import.meta.dirname, '../replay.ts'))};`,
  ...readdirSync(directory)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `import ${JSON.stringify(path.join(directory, file))};`),
  "export { tests } from '@jest/globals';",
].join('\n');

/** The test functions without Jest, which would load the judgement once for each of its files, and for each change. */
const globals = `
import { createRequire } from 'node:module';
export const { expect } = createRequire(${JSON.stringify(createRequire(import.meta.url).resolve('jest'))})('expect');
export const tests = [];
const around = [];
export function test(name, run) {
  tests.push({ name: [...around, name].join(' '), run });
}
export function describe(name, define) {
  around.push(name);
  define();
  around.pop();
}
const each = (one) => (rows) => (name, run) => {
  for (const row of rows) one(name, () => run(...(Array.isArray(row) ? row : [row])));
};
test.each = each(test);
describe.each = each(describe);
`;

/** Modules of the bundle that are texts. */
export const testModules: Plugin = {
  name: 'test-modules',
  resolveId: (id) => (id === '@jest/globals' || id === 'replay-with-tests' ? id : null),
  load: (id) => (id === '@jest/globals' ? globals : id === 'replay-with-tests' ? replayWithTests : null),
};

/** The first test that fails now. */
export async function firstFailure(tests: readonly UnitTest[], beforeEach: () => void): Promise<string | undefined> {
  for (const { name, run } of tests) {
    beforeEach();
    try {
      await run();
    } catch {
      return name;
    }
  }
  return undefined;
}

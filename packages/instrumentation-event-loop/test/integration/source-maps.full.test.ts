import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import type { RunResult, SpanRecord } from '@loopwatch/test-support';

import { expectCleanExit, fixtureTree, runFixture, spansOfBlocks } from './support.ts';
import { node24 } from './thread-support.ts';

const PROGRAM = 'source-mapped.bundle.mjs';
const FUNCTIONS = ['renderRows', 'searchOrders', 'sumPrices'] as const;

function run(env: Readonly<Record<string, string>> = {}): Promise<RunResult> {
  return runFixture(node24, PROGRAM.replace('.bundle.mjs', '.min.cjs'), { env });
}

function blockOf(result: RunResult, name: string): SpanRecord {
  const truths = result.truths.filter(({ id }) => id === name);
  const [span, ...others] = spansOfBlocks({ ...result, truths });
  expect({ name, others }).toEqual({ name, others: [] });
  return span!;
}

describe('A minified program without --enable-source-maps, on Node.js 24', () => {
  test('has the functions, files and lines of its source, also in the callback in which it exits', async () => {
    const { directory } = await fixtureTree(node24);
    const lines = (await readFile(path.join(directory, PROGRAM), 'utf8')).split('\n');
    const result = await run();
    expectCleanExit(result);
    for (const name of FUNCTIONS) {
      const { attributes } = blockOf(result, name);
      const first = lines.findIndex((line) => new RegExp(`${name}( =|\\(goesOn)`).test(line)) + 1;
      expect(attributes['code.function.name']).toBe(name);
      expect(attributes['code.file.path']).toBe(path.join(directory, PROGRAM));
      expect(attributes['code.line.number']).toBeGreaterThanOrEqual(first);
      expect(attributes['code.line.number']).toBeLessThanOrEqual(first + 4);
      expect(attributes['code.stacktrace']).toContain(`${name} (${path.join(directory, PROGRAM)}:`);
      expect(attributes['event_loop.blocked.profile']).toMatch(new RegExp(`;${name}[; ]`));
    }
  });

  test('has those of the built file with LOOPWATCH_SOURCE_MAPS=false', async () => {
    const { directory } = await fixtureTree(node24);
    const result = await run({ LOOPWATCH_SOURCE_MAPS: 'false' });
    expectCleanExit(result);
    const built = path.join(directory, PROGRAM.replace('.bundle.mjs', '.min.cjs'));
    for (const name of FUNCTIONS) expect(blockOf(result, name).attributes['code.file.path']).toBe(built);
  });
});

import path from 'node:path';

import { beforeAll, describe, expect, test } from '@jest/globals';
import { blockedSpans, durationMs, epochMs } from '@loopwatch/test-support';
import type { RunResult, SpanRecord } from '@loopwatch/test-support';

import { expectCleanExit, runUnstarved } from '../support.ts';
import { testRunners } from './extras.ts';
import { environmentTree, expectCulprit, INSTALL_TIMEOUT_MS } from './support.ts';

// One Node.js major is enough: the result depends on the versions of the test runners.
const combination = { nodeMajor: 24 } as const;

const jest = '../../node_modules/jest/bin/jest.js';
const jestConfig = ['--config', 'test-runners/jest/jest.config.cjs'];
const vitest = '../../node_modules/vitest/vitest.mjs';
const vitestConfig = ['run', '--config', 'test-runners/vitest/vitest.config.mjs'];

/** A runner's messages about a process that does not end, or about what keeps it from ending. */
const complaints = /open handle|did not exit|failed to exit|force exited|hanging|close timed out|debugger/i;

beforeAll(() => environmentTree('sdk3', testRunners), INSTALL_TIMEOUT_MS);

describe('In a test with fake timers, a block of the application under test has its culprit', () => {
  const runs = [
    ['Jest with --detectOpenHandles', jest, [...jestConfig, '--runInBand', '--detectOpenHandles'], 2],
    ['Jest with two processes', jest, [...jestConfig, '--maxWorkers=2'], 2],
    ['Vitest', vitest, vitestConfig, 1],
    ['Vitest with worker threads', vitest, [...vitestConfig, '--pool', 'threads'], 1],
  ] as const;

  test.each(runs)('%s', async (_label, program, args, files) => {
    expectBlocks(await run(program, { args }), files);
  });

  test('Jest with two test files in one process, where no block is reported twice', async () => {
    const result = await run(jest, { args: [...jestConfig, '--runInBand'] });
    expectBlocks(result, 2);
    expect(reportedTwice(blockedSpans(result))).toEqual([]);
  });

  test('node --test', async () => {
    const result = await run('test-runners/node/shop.test.cjs', { flags: ['--test'] });
    expectBlocks(result, 1);
    expect(result.stderr).toBe('');
  });
});

async function run(
  program: string,
  options: { readonly args?: readonly string[]; readonly flags?: readonly string[] },
): Promise<RunResult & { readonly directory: string }> {
  const tree = await environmentTree('sdk3', testRunners);
  const telemetry = { lingerMs: 0 };
  const result = await runUnstarved({ combination, tree, program, preload: 'none', telemetry, ...options });
  return { ...result, directory: tree.directory };
}

/** Expects that the tests pass, the runner ends by itself, and each file's request has exactly its own block. */
function expectBlocks({ directory, ...result }: RunResult & { readonly directory: string }, files: number): void {
  expectCleanExit(result);
  expect(`${result.stdout}${result.stderr}`).not.toMatch(complaints);
  const requests = result.spans.filter(({ name }) => name === 'request');
  expect(requests).toHaveLength(files);
  for (const request of requests) {
    const [span, ...others] = blockedSpans(result).filter(({ parentSpanId }) => parentSpanId === request.spanId);
    expect(others).toEqual([]);
    const file = path.join(directory, 'test-runners/shop.cjs');
    expectCulprit(span, { functionName: 'priceOrder', file, lines: [9, 14] });
  }
}

/** Spans of which an earlier span covers more than half. */
function reportedTwice(spans: readonly SpanRecord[]): SpanRecord[] {
  return spans.filter((span, index) =>
    spans.slice(0, index).some((earlier) => {
      const start = Math.max(epochMs(span.startTime), epochMs(earlier.startTime));
      const end = Math.min(epochMs(span.endTime), epochMs(earlier.endTime));
      return end - start > durationMs(span) / 2;
    }),
  );
}

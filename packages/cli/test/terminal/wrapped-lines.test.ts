import { expect, test } from '@jest/globals';
import pc from 'picocolors';

import { blockLines } from '../../src/cli/terminal/block-line.js';
import { comparisonLines } from '../../src/cli/terminal/comparison-view.js';
import { summaryLines } from '../../src/cli/terminal/summary.js';
import { compareRecordings } from '../../src/model/compare/comparison.js';
import { makeBlock, makeComparedRecording, makeLag } from '../support/records.js';

const block = makeBlock({ request: 'GET /traces/:id', runQueueMs: 120, victimCount: 3, suppressedCount: 2 });

test.each([20, 30, 40, 50, 60, 80])('no line of %d columns starts with what separates two parts', (columns) => {
  const style = { colors: pc.createColors(false), columns, directory: '/app' };
  const base = [makeComparedRecording([block])];
  const head = [makeComparedRecording([{ ...block, durationMs: 900 }])];
  const lines = [
    ...blockLines(block, 'api', style),
    ...summaryLines({ blocks: [block], lag: [makeLag({ maxMs: 600 })], elapsedMs: 8_000 }, style),
    ...comparisonLines(compareRecordings(base, head), base, head, style),
  ];
  expect(lines.filter((line) => /^( ?[,;.]| \S)/.test(line))).toEqual([]);
});

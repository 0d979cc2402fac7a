import { describe, expect, test } from '@jest/globals';

import { failureOfNew } from '../../src/cli/commands/compare.js';
import { failureOf } from '../../src/cli/commands/fail-on.js';
import { compareRecordings } from '../../src/model/compare/comparison.js';
import { createRecording } from '../../src/model/recording/recording.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock, makeComparedRecording } from '../support/records.js';

const recordingOf = (...blocks: Block[]) =>
  createRecording({
    loopwatchVersion: '0',
    command: ['node'],
    directory: '/app',
    startedMs: 0,
    durationMs: 1_000,
    thresholdMs: 100,
    exit: { code: 0 },
    processes: [],
    startUp: { counted: false, threads: [] },
    blocks,
    droppedBlocks: 0,
    lagPoints: [],
    sources: {},
  });

const HOSTILE = {
  functionName: '\u001b[2J\n::error::evil',
  filePath: '/a\u001b]0;x\u0007.js',
  lineNumber: 1,
  columnNumber: 1,
};

describe('the reason why --fail-on fails a run', () => {
  test('is the longest block, with function and place', () => {
    const blocks = [makeBlock({ durationMs: 300 }), makeBlock({ durationMs: 400 }), makeBlock({ durationMs: 90 })];
    expect(failureOf(recordingOf(...blocks), 100)).toBe(
      'Failed: 2 blocks were longer than 100 ms, the longest 400 ms by slow src/slow.js:3.',
    );
  });

  test('contains no control character of a name', () => {
    expect(failureOf(recordingOf(makeBlock({ culprit: HOSTILE })), 100)).not.toMatch(/\p{Cc}/u);
  });
});

test('the reason why --fail-on-new fails a comparison is one line, without a control character of a name', () => {
  const comparison = compareRecordings(
    [makeComparedRecording([])],
    [makeComparedRecording([makeBlock({ culprit: HOSTILE, durationMs: 300 })])],
  );
  const failure = failureOfNew(comparison, 100);
  expect(failure).toMatch(/^Failed: A new culprit blocks longer than 100 ms: /);
  expect(failure).not.toMatch(/\p{Cc}/u);
});

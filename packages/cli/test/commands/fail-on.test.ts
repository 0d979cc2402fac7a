import { describe, expect, test } from '@jest/globals';

import { failureOf } from '../../src/cli/commands/fail-on.js';
import { createRecording } from '../../src/model/recording/recording.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock } from '../support/records.js';

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

describe('the reason why --fail-on fails a run', () => {
  test('is the longest block, with function and place', () => {
    const blocks = [makeBlock({ durationMs: 300 }), makeBlock({ durationMs: 400 }), makeBlock({ durationMs: 90 })];
    expect(failureOf(recordingOf(...blocks), 100)).toBe(
      'Failed: 2 blocks were longer than 100 ms, the longest 400 ms by slow src/slow.js:3.',
    );
  });

  test('contains no control character of a name', () => {
    const culprit = {
      functionName: '\u001b[2Jevil',
      filePath: '/a\u001b]0;x\u0007.js',
      lineNumber: 1,
      columnNumber: 1,
    };
    expect(failureOf(recordingOf(makeBlock({ culprit })), 100)).not.toMatch(/\p{Cc}/u);
  });
});

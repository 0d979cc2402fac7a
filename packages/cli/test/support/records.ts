import type { BusyPeriod } from '../../src/model/busy-time/busy.js';
import type { ComparedRecording } from '../../src/model/compare/comparison.js';
import { createRecording, type Recording } from '../../src/model/recording/recording.js';
import type { Block, LagPoint } from '../../src/model/types.js';

/** A block with defaults for the fields that a test does not set. */
export function makeBlock(overrides: Partial<Block> = {}): Block {
  return {
    id: 'b1',
    instance: 'i1',
    startMs: 1_000,
    durationMs: 200,
    ended: true,
    cause: 'javascript',
    culprit: { functionName: 'slow', filePath: '/app/src/slow.js', lineNumber: 3, columnNumber: 5 },
    stackQuality: 'live',
    sampleCount: 10,
    suppressedCount: 0,
    threadId: 0,
    threadName: 'main',
    ...overrides,
  };
}

/** A run of ten seconds, as `compare` reads it. */
export function makeComparedRecording(
  blocks: readonly Block[],
  overrides: Partial<ComparedRecording> = {},
): ComparedRecording {
  return {
    command: ['node', 'app.js'],
    directory: '/app',
    durationMs: 10_000,
    thresholdMs: 100,
    exit: { code: 0 },
    processes: [{ id: 'i1', service: 'app.js', label: 'pid 1', pid: 1 }],
    droppedBlocks: 0,
    blocks,
    ...overrides,
  };
}

/** A recording as `run --json` writes it. */
export function makeRecording(blocks: readonly Block[], overrides: Partial<Recording> = {}): Recording {
  const recording = createRecording({
    loopwatchVersion: '1.0.0',
    command: ['node', 'app.js'],
    directory: '/app',
    startedMs: 1_000,
    durationMs: 10_000,
    thresholdMs: 100,
    exit: { code: 0 },
    processes: [{ id: 'i1', service: 'app.js', label: 'pid 1', pid: 1 }],
    blocks,
    droppedBlocks: 0,
    lagPoints: [],
    sources: {},
  });
  return { ...recording, ...overrides };
}

export function makeLag(overrides: Partial<LagPoint> = {}): LagPoint {
  return {
    instance: 'i1',
    threadName: 'main',
    startMs: 0,
    endMs: 1_000,
    boundsMs: [1, 10, 100, 1000],
    counts: [90, 5, 4, 1, 0],
    ...overrides,
  };
}

/** A second of a busy loop, without an answer. */
export function makeBusyPeriod(overrides: Partial<BusyPeriod> = {}): BusyPeriod {
  return {
    instance: 'i1',
    threadName: 'main',
    threadId: 0,
    startMs: 0,
    endMs: 1_000,
    busyMs: 900,
    answerCount: 0,
    answers: [],
    ...overrides,
  };
}

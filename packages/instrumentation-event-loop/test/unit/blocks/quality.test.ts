import { describe, expect, test } from '@jest/globals';
import { findCulprit } from '../../../src/blocks/culprit.js';
import { qualityOf } from '../../../src/blocks/quality.js';
import type { Segment } from '../../../src/blocks/segments.js';
import type { Frame, Quality } from '../../../src/contract/model.js';
import { builtinFrame, entryFrame, frame, nodeFrame, segment } from '../support/builders.js';

function qualityOfBlock(segments: readonly Segment[]): Quality {
  return qualityOf({ segments, culprit: findCulprit(segments) }).quality;
}

function at(functionName: string, functionLineNumber: number): Frame {
  return frame(functionName, { functionLineNumber, lineNumber: functionLineNumber + 3 });
}

const main = at('main', 90);

describe('a culprit that is seen only where it calls', () => {
  const clock = { ...entryFrame('now'), fileName: 'node:internal/perf/performance' };
  const atClock = (): Segment => segment([clock, main], 30);
  const inMeasure = segment([builtinFrame('Array.reduce'), at('measure', 20), main], 9);

  test('is a guess where nearly all answers stand at the entry of functions of Node: something short ran before', () => {
    expect(findCulprit([inMeasure, atClock(), atClock(), atClock()])?.frame.functionName).toBe('main');
    expect(qualityOfBlock([inMeasure, atClock(), atClock(), atClock()])).toBe('post_native');
  });

  test('is no guess where enough answers show it at work', () => {
    expect(qualityOfBlock([segment([main], 20), atClock(), atClock(), atClock()])).toBe('live');
  });

  test('is no guess where it calls native code of Node, in which V8 has answered', () => {
    const crypto = (name: string, line: number): Frame =>
      nodeFrame(name, { fileName: 'node:internal/crypto/hash', lineNumber: line, functionLineNumber: 30 });
    const inHash = { ...entryFrame('validate'), fileName: 'node:internal/validators' };
    expect(qualityOfBlock(Array.from({ length: 3 }, () => segment([inHash, crypto('update', 40), main])))).toBe('live');
  });
});

describe('a culprit in code of Node', () => {
  const scheduler = nodeFrame('listOnTimeout');
  const atEntry = { lineNumber: 30, functionLineNumber: 30, columnNumber: 16, functionColumnNumber: 1 };
  const insert = nodeFrame('insert', { ...atEntry, fileName: 'node:internal/linkedlist' });
  const times = (count: number, ...frames: Frame[]): Segment[] => Array.from({ length: count }, () => segment(frames));

  test('is a guess where V8 answers when it is about to begin: what ran before has left the stack', () => {
    expect(qualityOfBlock(times(8, insert, scheduler))).toBe('post_native');
  });

  test('is a guess where V8 mostly answers when it is about to begin, and else in what it calls', () => {
    const deliver = { ...insert, fileName: 'node:internal/per_context/messageport' };
    const below = nodeFrame('deliver', { ...deliver, lineNumber: 33 });
    const segments = [...times(5, deliver), ...times(2, main, below), ...times(2, at('save', 20), below)];
    expect(qualityOfBlock(segments)).toBe('post_native');
  });

  test('is a guess where it runs callbacks one after the other', () => {
    expect(qualityOfBlock(times(8, scheduler))).toBe('post_native');
    expect(qualityOfBlock(times(8, builtinFrame('Promise.then'), scheduler))).toBe('post_native');
  });

  test('is no guess where V8 interrupts it at work', () => {
    const normalize = nodeFrame('normalizeString', { fileName: 'node:path' });
    expect(qualityOfBlock(times(8, normalize, scheduler))).toBe('live');
    expect(qualityOfBlock([...times(8, normalize, scheduler), ...times(3, insert, scheduler)])).toBe('live');
  });
});

describe('a culprit between whose calls V8 answers in the scheduler', () => {
  const scheduler = nodeFrame('processTicksAndRejections', { fileName: 'node:internal/process/task_queues' });
  const times = (count: number, ...frames: Frame[]): Segment[] => Array.from({ length: count }, () => segment(frames));

  test('is a guess where that is most of the time: another of the callbacks may have run then', () => {
    expect(qualityOfBlock([...times(3, main, scheduler), ...times(5, scheduler)])).toBe('post_native');
  });

  test('is no guess where most of the time shows code', () => {
    expect(qualityOfBlock([...times(5, main, scheduler), ...times(3, scheduler)])).toBe('live');
  });
});

describe('the reason of a guess', () => {
  const guessOf = (...segments: Segment[]): string | undefined =>
    qualityOf({ segments, culprit: findCulprit(segments) }).guess;

  test('is what the answers lack', () => {
    const live = segment([main]);
    expect(guessOf(live, segment([main]), segment([main]))).toBeUndefined();
    expect(guessOf(live)).toBe('1 answer');
    expect(guessOf(live, segment([main]))).toBe('2 answers');
    const late = Array.from({ length: 3 }, () => segment([main], 10, { isLate: true }));
    expect(guessOf(...late)).toBe('answered only afterwards');
    expect(guessOf()).toBeUndefined();
    const compiled = Array.from({ length: 3 }, () => segment([main], 10, { source: [{ ...main, isCompiled: true }] }));
    expect(guessOf(...compiled)).toBe('line of compiled code');
  });
});

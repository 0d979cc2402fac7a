import { describe, expect, test } from '@jest/globals';
import { findCulprit } from '../../../src/blocks/culprit.js';
import { qualityOf } from '../../../src/blocks/quality.js';
import type { WeightedSample } from '../../../src/blocks/weights.js';
import type { Frame, Quality } from '../../../src/contract/model.js';
import { builtinFrame, entryFrame, frame, nodeFrame, weighted } from '../support/builders.js';

function qualityOfBlock(samples: readonly WeightedSample[]): Quality {
  return qualityOf(samples, findCulprit(samples));
}

function at(functionName: string, functionLineNumber: number): Frame {
  return frame(functionName, { functionLineNumber, lineNumber: functionLineNumber + 3 });
}

const serialize = at('serialize', 5);
const main = at('main', 90);

describe('a culprit that is seen after garbage collections', () => {
  const after = (name: string, line: number, gcMs = 80): WeightedSample =>
    weighted([at(name, line), serialize, main], 100, { gcMs });

  test('is a guess where each answer comes from another function', () => {
    expect(qualityOfBlock([after('asString', 20), after('asNumber', 40), after('asDate', 60)])).toBe('post_native');
  });

  test('is no guess where most answers come from one function', () => {
    const ofOne = Array.from({ length: 3 }, () => after('asString', 20));
    expect(qualityOfBlock([...ofOne, after('asDate', 60)])).toBe('live');
  });

  test('is no guess where most answers came at once', () => {
    const live = ['asString', 'asNumber', 'asDate'].map((name, i) =>
      weighted([at(name, 20 + 20 * i), serialize, main], 150),
    );
    expect(qualityOfBlock([after('asString', 20), after('asNumber', 40), after('asDate', 60), ...live])).toBe('live');
  });

  test('is no guess where the collections were too short to move the answers', () => {
    expect(qualityOfBlock([after('asString', 20, 0.5), after('asNumber', 40, 0.5), after('asDate', 60, 0.5)])).toBe(
      'live',
    );
  });
});

describe('a culprit that the first answer does not show', () => {
  const parse = (unsampledMs: number): WeightedSample =>
    weighted([{ ...at('parse', 3), fileName: '/srv/node_modules/body-parser/json.js' }], 10 + unsampledMs, {
      evidenceMs: 10,
      isLate: true,
    });
  const handler = Array.from({ length: 3 }, () => weighted([at('handle', 60), main], 10));

  test('is a guess where more of the block came before the first question than the samples show of it', () => {
    expect(findCulprit([parse(40), ...handler])?.frame.functionName).toBe('handle');
    expect(qualityOfBlock([parse(40), ...handler])).toBe('post_native');
  });

  test('is no guess where the samples show more of it', () => {
    expect(qualityOfBlock([parse(25), ...handler])).toBe('live');
  });

  test('is no guess where the first answer shows it: only the time before is unknown', () => {
    expect(qualityOfBlock([weighted([at('handle', 60), main], 60, { evidenceMs: 10 }), ...handler])).toBe('live');
  });
});

describe('a culprit that is seen only where it calls', () => {
  const clock = { ...entryFrame('now'), fileName: 'node:internal/perf/performance' };
  const seenAtClock = (): WeightedSample => weighted([clock, main], 30);
  const atClock = seenAtClock();
  const inMeasure = weighted([builtinFrame('Array.reduce'), at('measure', 20), main], 10);

  test('is a guess where the samples at the entry of a function of Node hide the other function that it calls', () => {
    expect(findCulprit([inMeasure, atClock, atClock])?.frame.functionName).toBe('main');
    expect(qualityOfBlock([inMeasure, atClock, atClock])).toBe('post_native');
  });

  test('is no guess where no other function was seen: its own loop reads the clock', () => {
    expect(qualityOfBlock(Array.from({ length: 8 }, seenAtClock))).toBe('live');
  });

  describe('and at the end of its loop', () => {
    const atLoopEnd = weighted([main], 20);
    const inCall = weighted([builtinFrame('Array.reduce'), at('measure', 20), main], 20);

    test('is a guess where the function that it calls may have had that time', () => {
      expect(findCulprit([inCall, atLoopEnd, atClock])?.frame.functionName).toBe('main');
      expect(qualityOfBlock([inCall, atLoopEnd, atClock])).toBe('post_native');
    });

    test('is no guess where the function that it calls took a small part of the time', () => {
      const loop = Array.from({ length: 8 }, () => weighted([main], 20));
      expect(qualityOfBlock([inCall, ...loop, atClock])).toBe('live');
    });

    test('is no guess where no other function was seen: its loop spins and reads the clock', () => {
      const spin = Array.from({ length: 8 }, (_, i) => weighted(i % 2 ? [main] : [clock, main], 20));
      expect(qualityOfBlock(spin)).toBe('live');
    });
  });

  test('is no guess where it was seen at work itself, and not only at the end of its loop', () => {
    const elsewhere = weighted([{ ...main, columnNumber: main.columnNumber + 9 }], 10);
    expect(qualityOfBlock([inMeasure, atClock, weighted([main], 10), elsewhere])).toBe('live');
  });

  test('is no guess where the function of Node runs', () => {
    const inNode = Array.from({ length: 3 }, () => weighted([nodeFrame('parseUrl'), main], 30));
    expect(qualityOfBlock([inMeasure, ...inNode])).toBe('live');
    const inNodeOnce = weighted([nodeFrame('parseUrl'), main], 5);
    expect(qualityOfBlock([inMeasure, atClock, inNodeOnce])).toBe('post_native');
  });
});

describe('a culprit that is seen only at its entry', () => {
  const check = at('check', 60);
  const atEntry = (name: string, line: number, ms = 10): WeightedSample =>
    weighted([entryFrame(name, line), check, main], ms);
  const isMail = (): WeightedSample => atEntry('isMail', 30);
  const mails = [isMail(), isMail(), isMail(), isMail()];

  test('is a guess where its caller is seen about to call another function: that one may have had the time', () => {
    expect(findCulprit([...mails, atEntry('isUrl', 20)])?.frame.functionName).toBe('isMail');
    expect(qualityOfBlock([...mails, atEntry('isUrl', 20)])).toBe('post_native');
  });

  test('is a guess where its caller is seen at work itself, too', () => {
    expect(qualityOfBlock([...mails, weighted([check, main], 10)])).toBe('post_native');
  });

  test('is no guess where nothing else of its caller is seen, or hardly anything', () => {
    expect(qualityOfBlock(mails)).toBe('live');
    expect(qualityOfBlock([...mails, atEntry('isUrl', 20, 4)])).toBe('live');
    expect(qualityOfBlock([...mails, weighted([at('sum', 80), main], 10)])).toBe('live');
  });

  test('is no guess where it is seen at work, too', () => {
    const atWork = weighted([at('isMail', 30), check, main], 10);
    expect(qualityOfBlock([...mails, atWork, atEntry('isUrl', 20)])).toBe('live');
  });

  test('is no guess where it calls itself, or a builtin calls it again and again', () => {
    const beside = weighted([check, main], 10);
    const itself = frame('isMail', { functionLineNumber: 30 });
    for (const caller of [itself, builtinFrame('Array.map')]) {
      const calls = Array.from({ length: 4 }, () => weighted([entryFrame('isMail', 30), caller, check, main], 10));
      expect(qualityOfBlock([...calls, beside])).toBe('live');
    }
  });
});

describe('a culprit in code of Node', () => {
  const scheduler = nodeFrame('listOnTimeout');
  const atEntry = { lineNumber: 30, functionLineNumber: 30, columnNumber: 16, functionColumnNumber: 1 };
  const insert = nodeFrame('insert', { ...atEntry, fileName: 'node:internal/linkedlist' });
  const times = (count: number, ...frames: Frame[]): WeightedSample[] =>
    Array.from({ length: count }, () => weighted(frames));

  test('is a guess where V8 answers when it is about to begin: what ran before has left the stack', () => {
    expect(qualityOfBlock(times(8, insert, scheduler))).toBe('post_native');
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

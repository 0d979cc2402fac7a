import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sleepSegments } from '../../../src/blocks/split-at-sleeps.js';
import type { Sample } from '../../../src/contract/model.js';
import { builtinFrame, frame, sample } from '../support/builders.js';

const turn = { start: 0, end: 1000 };

type Doing = 'busy' | 'idle' | 'stuck';

function seen(doing: Doing, requestedAt: number, takenAt = requestedAt): Sample {
  const pending = { busy: undefined, idle: [], stuck: ['TCPSocketWrap×1'] }[doing];
  const frames = doing === 'busy' ? [frame('task')] : [builtinFrame('Atomics.wait'), frame('onMessage')];
  return sample(frames, { requestedAt, takenAt, pending });
}

function cut(samples: readonly Sample[]): [Doing, number, number, number][] {
  return sleepSegments(turn, samples).map(({ kind, start, end, samples: of }) => [kind, start, end, of.length]);
}

test('a turn without samples is busy: nobody saw it sleep', () => {
  expect(cut([])).toEqual([['busy', 0, 1000, 0]]);
});

test('a turn that is busy throughout stays whole', () => {
  expect(cut([seen('busy', 100), seen('busy', 500)])).toEqual([['busy', 0, 1000, 2]]);
});

test('a worker that waits for its next task is idle throughout', () => {
  expect(cut([seen('idle', 100), seen('idle', 500)])).toEqual([['idle', 0, 1000, 2]]);
});

test('a task between two idle sleeps is a segment of its own', () => {
  const samples = [seen('idle', 100), seen('busy', 300), seen('busy', 400), seen('idle', 600), seen('idle', 900)];
  expect(cut(samples)).toEqual([
    ['idle', 0, 300, 1],
    ['busy', 300, 600, 2],
    ['idle', 600, 1000, 2],
  ]);
});

test('asleep with work pending is stuck, which is not idle', () => {
  expect(cut([seen('busy', 50), seen('stuck', 100), seen('idle', 900)])).toEqual([
    ['busy', 0, 100, 1],
    ['stuck', 100, 900, 1],
    ['idle', 900, 1000, 1],
  ]);
});

test('the time until a late answer belongs to what answered it', () => {
  expect(cut([seen('idle', 100), seen('busy', 300, 800)])).toEqual([
    ['idle', 0, 300, 1],
    ['busy', 300, 1000, 1],
  ]);
});

describe('for any samples', () => {
  const doing = fc.constantFrom<Doing>('busy', 'idle', 'stuck');
  const series = fc.array(fc.tuple(doing, fc.integer({ min: 0, max: 1000 })), { maxLength: 30 }).map((entries) =>
    entries
      .map(([what, at]) => [what, at] as const)
      .sort((a, b) => a[1] - b[1])
      .map(([what, at]) => seen(what, at)),
  );

  test('the segments cover the turn without a hole, alternate, and keep every sample', () => {
    fc.assert(
      fc.property(series, (samples) => {
        const segments = sleepSegments(turn, samples);
        expect(segments[0]?.start).toBe(turn.start);
        expect(segments.at(-1)?.end).toBe(turn.end);
        segments.slice(1).forEach((segment, i) => {
          expect(segment.start).toBe(segments[i]?.end);
          expect(segment.kind).not.toBe(segments[i]?.kind);
        });
        expect(segments.flatMap(({ samples: of }) => of)).toEqual(samples);
      }),
    );
  });
});

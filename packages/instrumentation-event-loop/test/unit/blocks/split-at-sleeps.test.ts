import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { judge } from '../../../src/blocks/judge.js';
import { sleepSections, splitAtSleeps } from '../../../src/blocks/split.js';
import type { Sample } from '../../../src/contract/model.js';
import { builtinFrame, frame, judgeContext, busyPeriod, sample, sampleAt } from '../support/builders.js';

const period = { start: 0, end: 1000 };

type SegmentKind = 'busy' | 'idle';
type SampledKind = SegmentKind | 'stuck';

function sampleWhile(kind: SampledKind, requestedAt: number, takenAt = requestedAt): Sample {
  const pending = { busy: undefined, idle: [], stuck: ['TCPSocketWrap×1'] }[kind];
  const frames = kind === 'busy' ? [frame('task')] : [builtinFrame('Atomics.wait'), frame('onMessage')];
  return sample(frames, { requestedAt, takenAt, pending });
}

function segmentsOf(samples: readonly Sample[]): [SegmentKind, number, number, number][] {
  return sleepSections(period, samples).map(({ kind, start, end, samples: of }) => [kind, start, end, of.length]);
}

test('a period without samples is busy', () => {
  expect(segmentsOf([])).toEqual([['busy', 0, 1000, 0]]);
});

test('a period that is busy throughout is one segment', () => {
  expect(segmentsOf([sampleWhile('busy', 100), sampleWhile('busy', 500)])).toEqual([['busy', 0, 1000, 2]]);
});

test('a worker that waits for its next task is idle throughout', () => {
  expect(segmentsOf([sampleWhile('idle', 100), sampleWhile('idle', 500)])).toEqual([['idle', 0, 1000, 2]]);
});

test('a task between two idle sleeps is a segment of its own', () => {
  const samples = [
    sampleWhile('idle', 100),
    sampleWhile('busy', 300),
    sampleWhile('busy', 400),
    sampleWhile('idle', 600),
    sampleWhile('idle', 900),
  ];
  expect(segmentsOf(samples)).toEqual([
    ['idle', 0, 300, 1],
    ['busy', 300, 600, 2],
    ['idle', 600, 1000, 2],
  ]);
});

test('a sleep with work pending is not idle', () => {
  expect(segmentsOf([sampleWhile('busy', 50), sampleWhile('stuck', 100), sampleWhile('idle', 900)])).toEqual([
    ['busy', 0, 900, 2],
    ['idle', 900, 1000, 1],
  ]);
});

test('the time until a late answer belongs to the segment of that answer', () => {
  expect(segmentsOf([sampleWhile('idle', 100), sampleWhile('busy', 300, 800)])).toEqual([
    ['idle', 0, 300, 1],
    ['busy', 300, 1000, 1],
  ]);
});

describe('for any samples', () => {
  const kind = fc.constantFrom<SampledKind>('busy', 'idle', 'stuck');
  const series = fc.array(fc.tuple(kind, fc.integer({ min: 0, max: 1000 })), { maxLength: 30 }).map((entries) =>
    entries
      .map(([what, at]) => [what, at] as const)
      .sort((a, b) => a[1] - b[1])
      .map(([what, at]) => sampleWhile(what, at)),
  );

  test('the segments cover the period without a hole, alternate in kind, and keep every sample', () => {
    fc.assert(
      fc.property(series, (samples) => {
        const segments = sleepSections(period, samples);
        expect(segments[0]?.start).toBe(period.start);
        expect(segments.at(-1)?.end).toBe(period.end);
        segments.slice(1).forEach((segment, i) => {
          expect(segment.start).toBe(segments[i]?.end);
          expect(segment.kind).not.toBe(segments[i]?.kind);
        });
        expect(segments.flatMap(({ samples: of }) => of)).toEqual(samples);
      }),
    );
  });
});

describe('a busy period of a pool worker', () => {
  const createSpans = frame('createSpans');
  const asleep = [builtinFrame('Atomics.wait'), frame('onMessage')];
  const used = (cpuMs: number) => ({ threadTimes: { cpuMs, runQueueMs: 0 } });
  const idleAt = (at: number, cpuMs: number): Sample => sampleAt(at, asleep, { pending: [], ...used(cpuMs) });
  const stuckAt = (at: number, cpuMs: number): Sample =>
    sampleAt(at, asleep, { pending: ['TCPSocketWrap×1'], ...used(cpuMs) });
  const busyAt = (at: number, cpuMs: number): Sample => sampleAt(at, [createSpans], used(cpuMs));

  test('stays whole without a sleep', () => {
    const whole = busyPeriod({ samples: [busyAt(1100, 250)] });
    expect(splitAtSleeps(whole)).toEqual({ parts: [whole], idle: [] });
  });

  test('has no busy part when the worker only waits for a task', () => {
    const { parts, idle } = splitAtSleeps(busyPeriod({ samples: [idleAt(1100, 200), idleAt(1200, 200)] }));
    expect(parts).toEqual([]);
    expect(idle).toMatchObject([{ start: 1000, end: 1300 }]);
  });

  test('is split into its tasks and its idle time', () => {
    const samples = [idleAt(1050, 200), busyAt(1100, 201), busyAt(1150, 250), idleAt(1250, 340), idleAt(1290, 340)];
    const { parts, idle } = splitAtSleeps(busyPeriod({ samples }));
    expect(parts.map(({ start, end, samples: of }) => [start, end, of.length])).toEqual([[1100, 1250, 2]]);
    expect(idle.map(({ start, end }) => [start, end])).toEqual([
      [1000, 1100],
      [1250, 1300],
    ]);
  });

  test('has the CPU time and the culprit of a task that uses the CPU', () => {
    const samples = [idleAt(1050, 200), busyAt(1100, 201), busyAt(1150, 250), idleAt(1250, 345)];
    const [task] = splitAtSleeps(busyPeriod({ samples })).parts;
    const { block } = judge(task!, judgeContext());
    expect(block?.times.cpuMs).toBeGreaterThan(130);
    expect(block?.attribution).toMatchObject({ cause: 'javascript', culprit: createSpans });
  });

  test('has a sleep with work pending as a block whose cause is waiting', () => {
    const samples = [busyAt(1005, 205), stuckAt(1010, 206), stuckAt(1200, 206), idleAt(1290, 206)];
    const parts = splitAtSleeps(busyPeriod({ samples })).parts.map((part) => judge(part, judgeContext()).block);
    const stuck = parts.find((block) => block !== undefined);
    expect(stuck?.attribution).toMatchObject({ cause: 'waiting', pending: ['TCPSocketWrap×1'] });
  });

  test('has the hang on its last part', () => {
    const hang = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
    const samples = [busyAt(1010, 205), idleAt(1100, 290), busyAt(1150, 291)];
    const { parts } = splitAtSleeps(busyPeriod({ samples, hang }));
    expect(parts.map((part) => part.hang)).toEqual([undefined, hang]);
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contextIntervals } from '../../../src/blocks/contexts.js';
import { mainContext } from '../../../src/blocks/contexts.js';
import { segmentsOf } from '../../../src/blocks/segments.js';
import type { ContextInfo } from '../../../src/contract/context-reader.js';
import type { Interval } from '../../../src/contract/interval.js';
import type { Frame, Sample, SpanEnding } from '../../../src/contract/model.js';
import {
  builtinFrame,
  dependencyFrame,
  entryFrame,
  frame,
  nodeFrame,
  sampleAt,
  telemetryFrame,
} from '../support/builders.js';

const BLOCK = { start: 1000, end: 1400 };
const handler = [frame('handler')];

type Bounds = readonly [startedAt: number, endedAt?: number];

/** Contexts are names: `a`, `a.inner` and `a.sdk`, of the SDK, belong to the request `a`; `-` is outside of any span. */
function infoOf(bounds: Readonly<Record<string, Bounds>>) {
  return (context: unknown): ContextInfo => {
    const name = String(context);
    const [request = ''] = name.split('.');
    const [startedAt, endedAt] = bounds[request] ?? [];
    return name === '-' || context === undefined
      ? { request: undefined, span: '', startedAt: undefined, endedAt: undefined, isOfSdk: false }
      : { request, span: name, startedAt, endedAt, isOfSdk: name.endsWith('.sdk') };
  };
}

function ranAt(at: number, context: string, asyncId = 0): Sample {
  return sampleAt(at, handler, { context, asyncId });
}

function endedAt(at: number, context: string): SpanEnding {
  return { at, context, asyncId: 0, trackedSpan: {} };
}

interface Options {
  readonly bounds?: Readonly<Record<string, Bounds>>;
  readonly endings?: readonly SpanEnding[];
  readonly excluded?: readonly Interval[];
}

function intervalsOf(
  samples: readonly Sample[],
  { bounds = {}, endings = [], excluded = [] }: Options = {},
): unknown[][] {
  return contextIntervals(segmentsOf(samples, BLOCK), endings, BLOCK, excluded, infoOf(bounds)).map(
    ({ start, end, context }) => [start, end, context],
  );
}

describe('the contexts of a block', () => {
  test('are unknown without samples', () => {
    expect(intervalsOf([])).toEqual([]);
    expect(intervalsOf([], { endings: [endedAt(1390, 'a')] })).toEqual([]);
  });

  test('are one where all samples show the same', () => {
    expect(intervalsOf([ranAt(1060, 'a'), ranAt(1100, 'a'), ranAt(1390, 'a')])).toEqual([[1000, 1400, 'a']]);
  });

  const exporting = [
    frame('hasOwn', { fileName: '/app/node_modules/protobufjs/src/util.js' }),
    frame('toSpan', { fileName: '/app/node_modules/@opentelemetry/otlp-transformer/build/internal.js' }),
    nodeFrame('listOnTimeout'),
  ];

  test('are none while the SDK exports in the context in which the timer of its export was set', () => {
    const samples = [ranAt(1100, 'a'), sampleAt(1200, exporting, { context: 'a.sdk' }), ranAt(1300, 'a')];
    expect(intervalsOf(samples)).toEqual([
      [1000, 1150, 'a'],
      [1150, 1250, undefined],
      [1250, 1400, 'a'],
    ]);
    const inNode = sampleAt(1200, [nodeFrame('_finish', { fileName: 'node:_http_outgoing' })], { context: 'a.sdk' });
    expect(intervalsOf([inNode])).toEqual([[1000, 1400, undefined]]);
  });

  test('are those of the request where its code ends a span that is exported at once', () => {
    const samples = [sampleAt(1200, [...exporting, ...handler], { context: 'a.sdk' })];
    expect(intervalsOf(samples)).toEqual([[1000, 1400, 'a.sdk']]);
  });

  test('change in the middle between two samples', () => {
    expect(intervalsOf([ranAt(1100, 'a'), ranAt(1110, 'b')])).toEqual([
      [1000, 1105, 'a'],
      [1105, 1400, 'b'],
    ]);
  });

  test('do not begin before their request started', () => {
    expect(intervalsOf([ranAt(1060, 'a'), ranAt(1200, 'b')], { bounds: { a: [1040], b: [1180] } })).toEqual([
      [1040, 1180, 'a'],
      [1180, 1400, 'b'],
    ]);
  });

  test('hand over when their request ended', () => {
    expect(intervalsOf([ranAt(1060, 'a'), ranAt(1200, 'b')], { bounds: { a: [900, 1070] } })).toEqual([
      [1000, 1070, 'a'],
      [1070, 1400, 'b'],
    ]);
  });

  test('do not hand over by spans that end later, or start before they are seen elsewhere', () => {
    const between = [ranAt(1100, 'a'), ranAt(1200, 'b')];
    const middle = [
      [1000, 1150, 'a'],
      [1150, 1400, 'b'],
    ];
    expect(intervalsOf(between, { bounds: { a: [900, 1300], b: [950] } })).toEqual(middle);
    expect(intervalsOf([ranAt(1100, 'a')], { bounds: { a: [1300] } })).toEqual([[1000, 1400, 'a']]);
  });

  test('are those of their callbacks', () => {
    const asyncIds = contextIntervals(
      segmentsOf([ranAt(1100, 'a', 7), ranAt(1200, 'a', 8)], BLOCK),
      [],
      BLOCK,
      [],
      infoOf({}),
    ).map(({ asyncId, end }) => [asyncId, end]);
    expect(asyncIds).toEqual([
      [7, 1150],
      [8, 1400],
    ]);
  });

  test('are unknown between the end of one request and the start of the next', () => {
    expect(intervalsOf([ranAt(1060, 'a'), ranAt(1200, 'b')], { bounds: { a: [900, 1070], b: [1150] } })).toEqual([
      [1000, 1070, 'a'],
      [1150, 1400, 'b'],
    ]);
  });

  test('continue after the end of their request where samples show them', () => {
    expect(intervalsOf([ranAt(1060, 'a'), ranAt(1390, 'a')], { bounds: { a: [900, 1070] } })).toEqual([
      [1000, 1400, 'a'],
    ]);
  });

  test('change in the middle within a request, whose span has other bounds than the spans in it', () => {
    expect(intervalsOf([ranAt(1100, 'a'), ranAt(1200, 'a.inner')], { bounds: { a: [900, 1110] } })).toEqual([
      [1000, 1150, 'a'],
      [1150, 1400, 'a.inner'],
    ]);
  });

  test('are also shown by spans that end', () => {
    const endings = [endedAt(1040, 'a'), endedAt(1080, 'b')];
    const bounds: Record<string, Bounds> = { a: [1000, 1040], b: [1040, 1080], c: [1080] };
    expect(intervalsOf([ranAt(1085, 'c')], { endings, bounds })).toEqual([
      [1000, 1040, 'a'],
      [1040, 1080, 'b'],
      [1080, 1400, 'c'],
    ]);
  });

  test('hand over where a span ends, although the clock was read for the span a moment before', () => {
    const endings = [endedAt(1040.02, 'a')];
    const bounds: Record<string, Bounds> = { a: [900, 1040], b: [900] };
    expect(intervalsOf([ranAt(1200, 'b')], { endings, bounds })).toEqual([
      [1000, 1040.02, 'a'],
      [1040.02, 1400, 'b'],
    ]);
  });

  test('say until when and from when they were seen, where nothing shows when they handed over', () => {
    const samples = [ranAt(1100, 'a'), ranAt(1140, 'b'), ranAt(1160, 'b'), ranAt(1200, 'c')];
    const all = contextIntervals(segmentsOf(samples, BLOCK), [], BLOCK, [], infoOf({ c: [1180] }));
    expect(all.map(({ context, seenFrom, seenUntil }) => [context, seenFrom, seenUntil])).toEqual([
      ['a', undefined, 1100],
      ['b', 1140, undefined],
      ['c', undefined, undefined],
    ]);
  });

  test('do not count suspensions', () => {
    const excluded = [
      { start: 1100, end: 1200 },
      { start: 1350, end: 1500 },
    ];
    expect(intervalsOf([ranAt(1090, 'a'), ranAt(1300, 'a')], { excluded })).toEqual([
      [1000, 1100, 'a'],
      [1200, 1350, 'a'],
    ]);
  });
});

describe('a sample that came late, after a native call', () => {
  const late = (frames: Sample['frames'], context: string): Sample =>
    sampleAt(1390, frames, { requestedAt: 1060, context });

  test('shows its context where a caller of the native call is on the stack', () => {
    expect(intervalsOf([late([entryFrame('next'), frame('handler')], 'a')])).toEqual([[1000, 1400, 'a']]);
  });

  const scheduler = nodeFrame('process.processTicksAndRejections', { fileName: 'node:internal/process/task_queues' });
  const inUndici = { fileName: 'node:internal/deps/undici/undici' };
  const atEntry = { lineNumber: 30, functionLineNumber: 30, columnNumber: 23, functionColumnNumber: 1 };

  test('shows its context where a function of Node has made the call', () => {
    const successSteps = nodeFrame('successSteps', inUndici);
    expect(intervalsOf([late([builtinFrame(''), successSteps, scheduler], 'a')])).toEqual([[1000, 1400, 'a']]);
  });

  test.each([
    ['only the function that was about to begin', [entryFrame('next')]],
    ["only Node's own code", [nodeFrame('processTimers')]],
    ['only code of Node that runs callbacks', [builtinFrame('Promise.then'), scheduler]],
    [
      'only a function of Node that was about to begin',
      [nodeFrame('successSteps', { ...inUndici, ...atEntry }), scheduler],
    ],
    ['a function of Node that awaits', [{ ...nodeFrame('json', inUndici), isAsync: true }]],
    ['only code of this package', []],
  ])('shows no context where the stack has %s', (_, frames) => {
    expect(intervalsOf([late(frames, 'b')])).toEqual([]);
  });

  test('shows its context from the request on', () => {
    const before = ranAt(1050, 'a');
    expect(intervalsOf([before, late([frame('handler')], 'b')])).toEqual([
      [1000, 1055, 'a'],
      [1055, 1400, 'b'],
    ]);
  });
});

test('a sample between two microtasks says nothing: its neighbours do', () => {
  const empty = sampleAt(1105, [], { context: '-' });
  expect(intervalsOf([ranAt(1100, 'a'), empty, ranAt(1110, 'a')])).toEqual([[1000, 1400, 'a']]);
});

describe('a sample between two ticks says nothing: where no span is active', () => {
  const inQueue = (at: number): Sample =>
    sampleAt(at, [nodeFrame('processTicksAndRejections', { fileName: 'node:internal/process/task_queues' })], {
      context: '-',
    });

  test('the few that show the code do, as in a flood of short ticks', () => {
    const samples = [1050, 1100, 1150, 1250, 1300, 1350].map(inQueue);
    expect(intervalsOf([...samples.slice(0, 3), ranAt(1200, 'a'), ...samples.slice(3)])).toEqual([[1000, 1400, 'a']]);
    const inBuiltin = samples.map((each) => ({ ...each, frames: [builtinFrame('Promise.then'), ...each.frames] }));
    expect(intervalsOf([...inBuiltin, ranAt(1390, 'a')])).toEqual([[1000, 1400, 'a']]);
  });

  test('but in a span it is of its request', () => {
    const inSpan = { ...inQueue(1100), context: 'b' };
    expect(intervalsOf([inSpan, ranAt(1200, 'a')])[0]).toEqual([1000, 1150, 'b']);
  });

  test('counts where none shows the code', () => {
    expect(intervalsOf([inQueue(1100), inQueue(1200)])).toEqual([[1000, 1400, '-']]);
  });
});

describe("a sample of Node's own code outside of any span", () => {
  const internal = (at: number): Sample => sampleAt(at, [nodeFrame('onFinish')], { context: '-' });

  test('says nothing between two samples of requests', () => {
    expect(intervalsOf([ranAt(1100, 'a'), internal(1110), ranAt(1120, 'a')])).toEqual([[1000, 1400, 'a']]);
  });

  test('counts with others of its kind', () => {
    expect(intervalsOf([ranAt(1100, 'a'), internal(1200), internal(1300)])).toEqual([
      [1000, 1150, 'a'],
      [1150, 1400, '-'],
    ]);
  });

  test('counts also before another request', () => {
    expect(intervalsOf([ranAt(1100, 'a'), internal(1200), internal(1300), ranAt(1380, 'b')])).toEqual([
      [1000, 1150, 'a'],
      [1150, 1340, '-'],
      [1340, 1400, 'b'],
    ]);
  });

  test('is not taken for code of the application or of a package there, nor for that of a span', () => {
    const between = (frames: readonly Frame[], context: string): Sample[] => [
      ranAt(1100, 'a'),
      sampleAt(1200, frames, { context }),
      ranAt(1300, 'a'),
    ];
    for (const frames of [handler, [dependencyFrame('poll')]]) {
      expect(intervalsOf(between(frames, '-'))[1]).toEqual([1150, 1250, '-']);
    }
    expect(intervalsOf(between([nodeFrame('onFinish')], 'b'))[1]).toEqual([1150, 1250, 'b']);
  });

  test('counts where there is no other', () => {
    expect(intervalsOf([internal(1200)])).toEqual([[1000, 1400, '-']]);
  });
});

test('a late answer in telemetry says nothing: the code that ran before it may have been in another callback', () => {
  const late = { ...sampleAt(1300, [telemetryFrame('export')], { context: 'b' }), requestedAt: 1110, sentAt: 1110 };
  expect(intervalsOf([ranAt(1100, 'a'), late])).toEqual([[1000, 1105, 'a']]);
});

test('for any samples and spans, the contexts follow each other within the block', () => {
  const time = fc.integer({ min: 900, max: 1500 });
  const name = fc.constantFrom('a', 'b', 'a.inner', '-');
  const samples = fc.array(fc.tuple(fc.integer({ min: 1000, max: 1400 }), name), { maxLength: 8 });
  const bounds = fc.record({ a: fc.tuple(time, time), b: fc.tuple(time, time) });
  fc.assert(
    fc.property(
      samples,
      fc.array(fc.tuple(fc.integer({ min: 1000, max: 1400 }), name), { maxLength: 4 }),
      bounds,
      (ran, ended, of) => {
        const taken = [...ran].sort(([a], [b]) => a - b).map(([at, context]) => ranAt(at, context));
        const endings = [...ended].sort(([a], [b]) => a - b).map(([at, context]) => endedAt(at, context));
        let until = BLOCK.start;
        for (const [start, end] of intervalsOf(taken, { endings, bounds: of }) as [number, number][]) {
          expect(start).toBeGreaterThanOrEqual(until);
          expect(end).toBeGreaterThan(start);
          until = end;
        }
        expect(until).toBeLessThanOrEqual(BLOCK.end);
      },
    ),
  );
});

describe('the main context', () => {
  const intervals = (...parts: readonly (readonly [string, number])[]) => {
    let at = 0;
    return parts.map(([context, ms]) => ({ context, start: at, end: (at += ms), asyncId: 0 }));
  };

  test('is that of the request that ran longest in total', () => {
    expect(mainContext(intervals(['a', 100], ['b', 150], ['a', 100]), infoOf({}))).toBe('a');
  });

  test('is the longest of that request, also where another request has a longer one', () => {
    const parts = intervals(['a.first', 100], ['b', 150], ['a.second', 120]);
    expect(mainContext(parts, infoOf({}))).toBe('a.second');
  });

  test('is none where most of the time no span was active', () => {
    expect(mainContext(intervals(['a', 100], ['-', 150]), infoOf({}))).toBe('-');
  });

  test('is undefined where nothing is known', () => {
    expect(mainContext([], infoOf({}))).toBeUndefined();
  });
});

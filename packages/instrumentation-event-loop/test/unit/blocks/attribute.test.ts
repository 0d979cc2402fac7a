import { describe, expect, test } from '@jest/globals';
import { attribute } from '../../../src/blocks/attribute.js';
import { contextIntervals } from '../../../src/blocks/contexts.js';
import { segmentsOf } from '../../../src/blocks/segments.js';
import type { ContextInfo } from '../../../src/contract/context-reader.js';
import type { BlockTimes, Frame, Sample } from '../../../src/contract/model.js';
import { builtinFrame, entryFrame, frame, NO_TIMES, sample, sampleAt, segment } from '../support/builders.js';

const BLOCK = { start: 1000, end: 1400 };
const createSpans = frame('createSpans', { lineNumber: 12 });
const handle = frame('handle', { functionLineNumber: 40, lineNumber: 44 });

/** Each context is a request of its own. */
function infoOf(context: unknown): ContextInfo {
  return { request: context, span: '', startedAt: undefined, endedAt: undefined, isOfSdk: false };
}

function attributionOf(
  samples: readonly Sample[],
  times: BlockTimes = NO_TIMES,
  mapStack = (stack: readonly Frame[]) => stack,
) {
  const segments = segmentsOf(samples, BLOCK, [], [], mapStack);
  const contexts = contextIntervals(segments, [], BLOCK, [], infoOf);
  return attribute({
    durationMs: 400,
    thresholdMs: 100,
    times,
    segments,
    contexts,
    infoOf,
    beganUnwatched: false,
  });
}

describe('an attribution', () => {
  test('names the culprit with its stack and its profile', () => {
    const stack = [createSpans, handle];
    const live = [1100, 1150, 1200].map((takenAt) => sampleAt(takenAt, stack));
    const attribution = attributionOf([...live, sampleAt(1300, [handle])]);
    expect(attribution.culprit).toEqual(createSpans);
    expect(attribution.stack).toEqual(stack);
    expect(attribution.profile).toBe('handle;createSpans 250\nhandle 150');
    expect(attribution.sampleCount).toBe(4);
    expect(attribution.because).toBe('javascript 100 % of 400 ms');
  });

  test('says in plain words that the block is the work of this package', () => {
    const own = (functionName: string): Frame => frame(functionName, { fileName: '/srv/bundle.js', isOwn: true });
    const attribution = attributionOf([sampleAt(1100, [own('findCulprit')]), sampleAt(1300, [own('originOf')])]);
    expect(attribution.culprit).toMatchObject({ functionName: "Loopwatch's own work", fileName: '/srv/bundle.js' });
  });

  test('has the time of each line of the culprit, in the source of generated code', () => {
    const at = (columnNumber: number): Frame => frame('createSpans', { lineNumber: 1, columnNumber });
    const samples = [1100, 1150, 1200, 1300].map((ms, index) => sampleAt(ms, [at([20, 90, 20, 140][index]!), handle]));
    // As an upstream source map: the columns of line 1 are lines 12, 17 and 12 of the source.
    const lineOf = new Map([
      [20, 12],
      [90, 17],
      [140, 12],
    ]);
    const mapStack = (stack: readonly Frame[]): Frame[] =>
      stack.map((each) => ({ ...each, fileName: '/srv/src/logs.ts', lineNumber: lineOf.get(each.columnNumber) ?? 44 }));
    const { culprit, lines, profile } = attributionOf(samples, NO_TIMES, mapStack);
    expect(culprit).toMatchObject({ fileName: '/srv/src/logs.ts', lineNumber: 12 });
    expect(lines).toBe('12 350\n17 50');
    expect(profile).toBe('handle;createSpans 400');
  });

  test('has no time of lines where all samples show one line, or code of several functions', () => {
    const own = (lineNumber: number): Frame =>
      frame(`f${lineNumber}`, { fileName: '/srv/bundle.js', isOwn: true, lineNumber });
    const stack = [createSpans, handle];
    expect(attributionOf([sampleAt(1100, stack), sampleAt(1300, stack)]).lines).toBeUndefined();
    expect(attributionOf([sampleAt(1100, [own(3)]), sampleAt(1300, [own(9)])]).lines).toBeUndefined();
    const compiled = [12, 17].map((lineNumber) => frame('createSpans', { lineNumber, isCompiled: true }));
    expect(attributionOf(compiled.map((top, i) => sampleAt(1100 + 200 * i, [top]))).lines).toBeUndefined();
  });

  test('gives the time of an inline callback to its own line, and names the function around it', () => {
    const callback = frame('', { lineNumber: 15, functionLineNumber: 13, functionColumnNumber: 30 });
    const find = builtinFrame('Array.find');
    const scan = [callback, find, { ...createSpans, lineNumber: 13 }, handle];
    const { culprit, lines } = attributionOf([
      sampleAt(1100, scan),
      sampleAt(1200, scan),
      sampleAt(1300, [createSpans, handle]),
    ]);
    expect(lines).toBe('15 250\n12 150');
    expect(culprit).toMatchObject({ functionName: 'createSpans', lineNumber: 15 });
  });

  test('maps each function once with its caller, however many samples there are', () => {
    let mappedFrames = 0;
    const mapStack = (stack: readonly Frame[]): readonly Frame[] => {
      mappedFrames += stack.length;
      return stack;
    };
    const deep = [
      createSpans,
      ...Array.from({ length: 100 }, (_, i) => frame(`f${i}`, { functionLineNumber: 50 + i })),
    ];
    attributionOf(
      Array.from({ length: 20 }, (_, i) => sampleAt(1010 + 10 * i, deep)),
      NO_TIMES,
      mapStack,
    );
    // Each function with its caller.
    expect(mappedFrames).toBe(2 * deep.length - 1);
  });

  test('names what the first answer shows as a guess, where more came before it than after it', () => {
    const leaf = frame('leaf', { functionLineNumber: 70, lineNumber: 72 });
    const rest = (i: number): Frame => frame(`other${i}`, { functionLineNumber: 80 + i, lineNumber: 80 + i });
    const samples = [leaf, rest(1), rest(2), rest(3)].map((top, i) => sampleAt(1300 + 10 * i, [top, handle]));
    expect(attributionOf(samples)).toMatchObject({ culprit: leaf, quality: 'post_native' });
  });

  test('names no function where what blocked had left the stack before V8 answered', () => {
    const next = {
      ...frame('plant', { lineNumber: 22, functionLineNumber: 22 }),
      columnNumber: 17,
      functionColumnNumber: 3,
    };
    const samples = [
      { ...sampleAt(1300, [next]), requestedAt: 1050, sentAt: 1050 },
      sampleAt(1310, [createSpans, handle]),
      sampleAt(1320, [createSpans, handle]),
    ];
    expect(attributionOf(samples)).toMatchObject({ culprit: undefined, stack: [], profile: '', quality: 'none' });
  });

  test('has no culprit without samples', () => {
    expect(attributionOf([])).toMatchObject({
      cause: 'unknown',
      quality: 'none',
      culprit: undefined,
      stack: [],
      profile: '',
      sampleCount: 0,
      asyncResource: '',
      pending: undefined,
      contexts: [],
    });
  });

  test("has no culprit when only V8's own code was sampled, but has its stack", () => {
    const attribution = attributionOf([sampleAt(1200, [builtinFrame('Array.sort')])]);
    expect(attribution.culprit).toBeUndefined();
    expect(attribution.stack.map(({ functionName }) => functionName)).toEqual(['Array.sort']);
    expect(attribution.quality).toBe('live');
  });

  test('maps culprit and stack to the original source', () => {
    const mapStack = (stack: readonly Frame[]): Frame[] =>
      stack.map((of, i) => ({ ...of, functionName: `${of.functionName}@${stack.length - i}`, fileName: 'logs.ts' }));
    const attribution = attributionOf([sampleAt(1200, [createSpans, handle])], NO_TIMES, mapStack);
    // Mapped together with its caller, as in the stack: the name may come from the map of the caller.
    expect(attribution.culprit?.functionName).toBe('createSpans@2');
    expect(attribution.stack.map(({ functionName }) => functionName)).toEqual(['createSpans@2', 'handle@1']);
  });
});

describe('the stack quality', () => {
  const late = (requestedAt: number, takenAt: number, frames: readonly Frame[]): Sample =>
    sample(frames, { requestedAt, takenAt });

  test('is live when the answers come in time', () => {
    expect(attributionOf([1100, 1200, 1300].map((at) => sampleAt(at, [createSpans]))).quality).toBe('live');
  });

  test('is post_native when only one or two answers show the culprit', () => {
    expect(attributionOf([sampleAt(1100, [createSpans])]).quality).toBe('post_native');
    const others = [1300, 1310, 1320].map((at, i) =>
      sampleAt(at, [frame(`other${i}`, { functionLineNumber: 90 + i })]),
    );
    const attribution = attributionOf([sampleAt(1080, [createSpans]), sampleAt(1190, [createSpans]), ...others]);
    expect(attribution).toMatchObject({ quality: 'post_native', culprit: createSpans });
  });

  test('is live when the one answer shows a sleep: a thread that sleeps is asked once', () => {
    const asleep = sample([builtinFrame('Atomics.wait'), createSpans], {
      requestedAt: 1050,
      takenAt: 1051,
      pending: ['Timeout'],
    });
    expect(attributionOf([asleep]).quality).toBe('live');
  });

  test('is post_native when the one answer shows a sleep that is short beside what ran before it', () => {
    const asleep = segment([builtinFrame('Atomics.wait'), createSpans], 90, { asleepMs: 10 }, { pending: ['Timeout'] });
    const { quality, because } = attribute({
      ...{ durationMs: 100, thresholdMs: 40, times: { cpuMs: 90, runQueueMs: 0, gcMs: 0 }, segments: [asleep] },
      ...{
        contexts: [],
        infoOf: () => ({ request: undefined, span: '', isOfSdk: false, startedAt: undefined, endedAt: undefined }),
        beganUnwatched: false,
      },
    });
    expect({ quality, because }).toEqual({
      quality: 'post_native',
      because: 'javascript 100 % of 90 ms; guess: 1 answer',
    });
  });

  test('is post_native when the answer comes after a native call', () => {
    const attribution = attributionOf([late(1050, 1395, [entryFrame('next'), createSpans])]);
    expect(attribution).toMatchObject({ quality: 'post_native', culprit: createSpans });
  });

  test("is that of most of the culprit's time", () => {
    expect(
      attributionOf([sampleAt(1100, [createSpans]), sampleAt(1300, [createSpans]), late(1320, 1390, [createSpans])])
        .quality,
    ).toBe('live');
    expect(attributionOf([sampleAt(1050, [createSpans]), late(1060, 1390, [createSpans])]).quality).toBe('post_native');
  });

  test('is live when only the first answer is a little late: it does not stand for the time before its question', () => {
    const live = [1260, 1280, 1300, 1320, 1340, 1360].map((takenAt) => sampleAt(takenAt, [createSpans]));
    expect(attributionOf([late(1220, 1240, [createSpans]), ...live]).quality).toBe('live');
  });

  test('does not depend on the samples of other functions', () => {
    const other = frame('other', { functionLineNumber: 90 });
    const attribution = attributionOf([
      sampleAt(1050, [createSpans]),
      sampleAt(1150, [createSpans]),
      sampleAt(1250, [createSpans]),
      late(1280, 1390, [other]),
    ]);
    expect(attribution).toMatchObject({ quality: 'live', culprit: createSpans });
  });

  test('is none when no sample has a frame', () => {
    expect(attributionOf([sampleAt(1100, []), late(1200, 1390, [])]).quality).toBe('none');
  });
});

describe('the contexts', () => {
  test('are listed with their time, and the main one is that of most of the time', () => {
    const mine = { of: 'mine' };
    const others = { of: 'others' };
    const attribution = attributionOf([
      sampleAt(1100, [createSpans], { context: others }),
      sampleAt(1150, [handle], { context: mine }),
      sampleAt(1350, [handle], { context: mine }),
    ]);
    expect(attribution.culprit?.functionName).toBe('handle');
    expect(attribution.contexts).toEqual([
      { context: others, start: 1000, end: 1125, asyncId: 0, seenAt: 1100, seenUntil: 1100, lastSeenAt: 1100 },
      { context: mine, start: 1125, end: 1400, asyncId: 0, seenFrom: 1150, lastSeenAt: 1350 },
    ]);
    expect(attribution.mainContext).toBe(mine);
  });

  test('after a native call at the very end of its callback, are not those of the next callback', () => {
    const next = { of: 'next' };
    const answered = [
      // V8 answers at the entry of the next callback, whose context is active by then.
      { ...sampleAt(1350, [entryFrame('onRequest')], { context: next }), requestedAt: 1050, sentAt: 1050 },
      ...[1360, 1370, 1380].map((takenAt) => sampleAt(takenAt, [handle], { context: next })),
    ];
    const attribution = attributionOf(answered);
    expect(attribution.mainContext).toBeUndefined();
    expect(attribution).toMatchObject({ culprit: undefined, quality: 'none' });
    // The time that is known to be of the next request stays that request's.
    expect(attribution.contexts).toMatchObject([{ context: next, end: 1400 }]);
  });

  test('of the request that took longest, the culprit is a function that had half of its time', () => {
    const [short, long, otherShort] = [{ of: 'short' }, { of: 'long' }, { of: 'other short' }];
    const shared = frame('shared', { lineNumber: 70 });
    const { mainContext, culprit, quality } = attributionOf([
      ...[1030, 1060, 1100].map((takenAt) => sampleAt(takenAt, [shared, handle], { context: short })),
      sampleAt(1140, [shared, createSpans], { context: long }),
      ...[1180, 1220, 1260].map((takenAt) => sampleAt(takenAt, [createSpans], { context: long })),
      ...[1300, 1340, 1380].map((takenAt) => sampleAt(takenAt, [shared, handle], { context: otherShort })),
    ]);
    expect(mainContext).toBe(long);
    expect(culprit).toBe(createSpans);
    expect(quality).toBe('live');
  });

  test('only the ends of spans show the request that took longest: the culprit, of another one, is a guess', () => {
    const [sampled, unseen] = [{ of: 'sampled' }, { of: 'unseen' }];
    const segments = segmentsOf(
      [1300, 1330, 1360].map((takenAt) => sampleAt(takenAt, [createSpans], { context: sampled })),
      BLOCK,
    );
    const contexts = [
      { context: unseen, start: 1000, end: 1290, asyncId: 0 },
      { context: sampled, start: 1290, end: 1400, asyncId: 0 },
    ];
    const evidence = { durationMs: 400, thresholdMs: 100, times: NO_TIMES, segments, contexts, infoOf };
    const { culprit, quality, because } = attribute({ ...evidence, beganUnwatched: false });
    expect(culprit).toBe(createSpans);
    expect(quality).toBe('post_native');
    expect(because).toBe('javascript 100 % of 400 ms; guess: of another request');
  });

  test('of forty short requests, the culprit is that of all, where it had half of the time of the longest one', () => {
    const short = (count: number, from: number, topOf: (i: number) => Frame): Sample[] =>
      Array.from({ length: count }, (_, i) => sampleAt(from + 10 * i, [topOf(i), handle], { context: { request: i } }));
    const spans = { culprit: createSpans, quality: 'live' };
    expect(attributionOf(short(40, 1005, () => createSpans))).toMatchObject(spans);
    const context = { request: 'longest' };
    const longest = (takenAt: number): Sample => sampleAt(takenAt, [createSpans, handle], { context });
    const leafOf = (i: number): Frame => frame('leaf', { functionLineNumber: 70 + i });
    expect(attributionOf([longest(1140), ...short(25, 1150, () => leafOf(0))]).culprit).toBe(createSpans);
    // Where answers enough show it, it is the request's own.
    const three = [1050, 1100, 1150].map(longest);
    expect(attributionOf([...three, ...short(24, 1160, leafOf)])).toMatchObject(spans);
  });

  test('of the handler of all requests, answers in which another one calls its own culprit are no evidence', () => {
    const [unseen, seen] = [{ of: 'seen at its end' }, { of: 'seen' }];
    const dispatch = frame('dispatch', { functionLineNumber: 5, lineNumber: 9 });
    const { mainContext, culprit, quality, because } = attributionOf([
      // The thread has waited for a CPU until the work of the first request was over.
      { ...sampleAt(1230, [dispatch], { context: unseen }), requestedAt: 1210 },
      ...[1240, 1270, 1300, 1330, 1360].map((takenAt) => sampleAt(takenAt, [createSpans, dispatch], { context: seen })),
    ]);
    expect(mainContext).toBe(unseen);
    expect(culprit).toBe(dispatch);
    expect(quality).toBe('post_native');
    expect(because).toBe('javascript 100 % of 400 ms; guess: 1 answer');
  });

  test('of three requests that one handler has called, the culprit is the own one of the longest, not the handler', () => {
    const [price, rank, tax] = ['price', 'rank', 'tax'].map((name, i) =>
      frame(name, { functionLineNumber: 10 * i + 9 }),
    );
    const dispatch = frame('dispatch', { functionLineNumber: 5, lineNumber: 9 });
    const ran = (top: Frame, times: readonly number[]): Sample[] =>
      times.map((takenAt) => sampleAt(takenAt, [top, dispatch], { context: top }));
    const { mainContext, culprit, because } = attributionOf([
      ...ran(price!, [1120, 1150]),
      ...ran(rank!, [1170, 1200, 1230, 1260]),
      ...ran(tax!, [1290, 1320, 1350, 1380]),
    ]);
    expect(mainContext).toBe(price);
    expect(culprit).toBe(price);
    expect(because).toBe('javascript 100 % of 400 ms; guess: 2 answers');
  });

  test('are ten for ten requests in one iteration', () => {
    const contexts = Array.from({ length: 10 }, (_, i) => ({ request: i }));
    const { contexts: intervals } = attributionOf(
      contexts.map((context, i) => sampleAt(1020 + 40 * i, [createSpans], { context })),
    );
    expect(intervals).toHaveLength(10);
    expect(intervals.reduce((sum, { start, end }) => sum + end - start, 0)).toBeCloseTo(400, 6);
    expect(new Set(intervals.map(({ context }) => context))).toEqual(new Set(contexts));
  });
});

describe('code that has left the stack before V8 answers', () => {
  const next = { ...entryFrame('next', 90), fileName: 'node:internal/timers' };
  const isLate = { sentAt: 1010, sentRunQueueMs: 0, threadTimes: { cpuMs: 0, runQueueMs: 0 } };
  const live = [1310, 1320, 1330].map((takenAt) => sampleAt(takenAt, [createSpans, handle]));

  test('hides the culprit where it ran in one call for longer than all that is shown', () => {
    const { culprit, quality, profile } = attributionOf([sample([next], { ...isLate, takenAt: 1300 }), ...live]);
    expect({ culprit, quality, profile }).toEqual({ culprit: undefined, quality: 'none', profile: '' });
  });

  test('hides nothing where that call was shorter', () => {
    const shorter = sample([next], { ...isLate, requestedAt: 1010, takenAt: 1030 });
    expect(attributionOf([shorter, ...live.map((each, i) => ({ ...each, takenAt: 1150 + 50 * i }))]).culprit).toBe(
      createSpans,
    );
  });

  test('hides nothing where V8 answered at once', () => {
    const between = sampleAt(1300, [next]);
    expect(attributionOf([between, ...live]).culprit).toBe(createSpans);
  });
});

describe('resource, pending work and cause', () => {
  test("the resource is that of the culprit's samples", () => {
    const attribution = attributionOf([
      sampleAt(1010, [handle], { asyncResource: 'Timeout' }),
      sampleAt(1020, [createSpans, handle], { asyncResource: 'HTTPINCOMINGMESSAGE' }),
      sampleAt(1300, [createSpans, handle], { asyncResource: 'HTTPINCOMINGMESSAGE' }),
    ]);
    expect(attribution.asyncResource).toBe('HTTPINCOMINGMESSAGE');
  });

  test('the pending work is that of the last sample that has any', () => {
    const asleep = [builtinFrame('Atomics.wait'), createSpans];
    const attribution = attributionOf([
      sampleAt(1100, asleep, { pending: ['FSReqPromise×2'] }),
      sampleAt(1200, asleep, { pending: ['FSReqPromise×1'] }),
      sampleAt(1300, [createSpans]),
    ]);
    expect(attribution.pending).toEqual(['FSReqPromise×1']);
  });

  test('the cause follows from the times and the samples', () => {
    expect(attributionOf([sampleAt(1100, [createSpans])], { cpuMs: 10, runQueueMs: 380, gcMs: 0 }).cause).toBe(
      'cpu_starved',
    );
    expect(attributionOf([sampleAt(1100, [createSpans])], { cpuMs: 380, runQueueMs: 5, gcMs: 300 }).cause).toBe('gc');
  });
});

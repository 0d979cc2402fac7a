import { expect, test } from '@jest/globals';
import type { SpanRecord, Telemetry, TruthRecord } from '@loopwatch/test-support';

import { judgeVictims } from './judge-victims.ts';

const SERVER = 1;
const INTERNAL = 0;

function span(name: string, [startMs, endMs]: readonly [number, number], more: Partial<SpanRecord> = {}): SpanRecord {
  const time = (ms: number): readonly [number, number] => [Math.floor(ms / 1000), (ms % 1000) * 1e6];
  return {
    type: 'span',
    name,
    kind: SERVER,
    traceId: name,
    spanId: name,
    startTime: time(startMs),
    endTime: time(endMs),
    attributes: {},
    links: [],
    statusCode: 0,
    scope: 'test',
    resource: {},
    ...more,
  };
}

function work(traceId: string, [startEpochMs, endEpochMs]: readonly [number, number]): TruthRecord {
  return { type: 'truth', id: traceId, threadId: 0, traceId, startEpochMs, endEpochMs, startNowMs: 0, endNowMs: 0 };
}

function waits(seconds: number, ...blocks: readonly string[]): Partial<SpanRecord> {
  return {
    attributes: { 'event_loop.blocked.wait_time': seconds },
    links: blocks.map((spanId) => ({ traceId: 'slow', spanId, attributes: {} })),
  };
}

/** `slow` works for 200 ms in a block of 204 ms. */
const block = span('event-loop-blocked', [1000, 1204], {
  kind: INTERNAL,
  traceId: 'slow',
  spanId: 'b',
  parentSpanId: 'slow',
});

function judge(...spans: readonly SpanRecord[]): ReturnType<typeof judgeVictims> {
  const telemetry: Partial<Telemetry> = { spans: [block, ...spans], truths: [work('slow', [1002, 1202])] };
  return judgeVictims(telemetry as Telemetry);
}

test('a request that was open during the work of another one has waited', () => {
  const counts = judge(span('slow', [990, 1210]), span('fast', [900, 1300], waits(0.204, 'b')));
  expect(counts).toEqual({
    blocks: 1,
    wrongParents: 0,
    spans: 2,
    victims: 1,
    falseVictims: [],
    excessMs: 0,
    reportedMs: 204,
    missedVictims: [],
  });
});

test.each([
  ['the request of the block has a wait', span('slow', [990, 1210], waits(0.2))],
  ['the request of the block is linked to it', span('slow', [990, 1210], waits(0, 'b'))],
  ['a request that began after the block has a wait', span('late', [1250, 1400], waits(0.2))],
  ['a request that began after the block is linked to it', span('late', [1250, 1400], waits(0, 'b'))],
  ['a request that ended in the block has the wait of all of it', span('early', [900, 1050], waits(0.204, 'b'))],
])('%s: a false victim', (_label, victim) => {
  const { falseVictims, missedVictims } = judge(victim);
  expect(falseVictims.map(({ name }) => name)).toEqual([victim.name]);
  expect(missedVictims).toEqual([]);
});

test('a request whose end the SDK has noted too early has waited until it ended', () => {
  const noted = span('fast', [900, 1000], waits(0.012, 'b'));
  expect(judge(noted).falseVictims).toHaveLength(1);
  expect(judge({ ...noted, open: { startEpochMs: 900, endEpochMs: 1012 } }).falseVictims).toEqual([]);
});

test('a request that waited for all of the block without a wait is missed', () => {
  expect(judge(span('fast', [900, 1300])).missedVictims).toHaveLength(1);
  expect(judge(span('fast', [900, 1050])).missedVictims).toEqual([]);
  expect(judge(span('inner', [900, 1300], { kind: INTERNAL, parentSpanId: 'fast' })).missedVictims).toEqual([]);
});

test('a block in the trace of a request that had little of its work has a wrong parent', () => {
  const telemetry: Partial<Telemetry> = {
    spans: [block],
    truths: [work('slow', [1002, 1010]), work('other', [1010, 1202])],
  };
  expect(judgeVictims(telemetry as Telemetry).wrongParents).toBe(1);
});

test('a block most of which lies between pieces of work can have any parent', () => {
  const telemetry: Partial<Telemetry> = {
    spans: [block],
    truths: [work('slow', [1002, 1010]), work('other', [1010, 1090])],
  };
  expect(judgeVictims(telemetry as Telemetry).wrongParents).toBe(0);
});

import { expect, test } from '@jest/globals';

import { judgeHang } from './judge-hang.ts';
import type { HangSpan, HangVerdict } from './judge-hang.ts';
import { hangKinds } from './kinds.ts';
import type { HangKind } from './kinds.ts';

const loop = kindOf('loop');
const right: HangSpan = {
  parentSpanId: 'request-span',
  durationMs: 1200,
  attributes: {
    'code.function.name': 'findParent',
    'event_loop.blocked.cause': 'javascript',
    'event_loop.blocked.request': 'request',
    'event_loop.blocked.cpu_time': 1.1,
    'event_loop.blocked.run_queue_time': 0.1,
  },
};

function kindOf(way: string): HangKind {
  return hangKinds.find((kind) => kind.way === way)!;
}

function judged(kind: HangKind, attributes: HangSpan['attributes'], parentSpanId?: string): HangVerdict {
  const parent = parentSpanId === undefined ? {} : { parentSpanId };
  return judgeHang(kind, { durationMs: 1200, attributes, ...parent }, 'request-span');
}

const nothing = { wrong: [], absent: [] };

test('a report that is right has nothing wrong', () => {
  expect(judgeHang(loop, right, 'request-span')).toEqual(nothing);
  expect(judged(kindOf('native'), { 'event_loop.blocked.cause': 'native' })).toEqual(nothing);
});

test.each([
  ['code.function.name', 'computeForecast', 'function: expected findParent, got computeForecast'],
  ['event_loop.blocked.cause', 'native', 'cause: expected javascript, got native'],
  [
    'event_loop.blocked.cause',
    'cpu_starved',
    'cause: expected javascript, got cpu_starved (CPU 1100 ms, run queue 100 ms)',
  ],
  ['event_loop.blocked.request', 'another', 'request: expected request, got another'],
  ['event_loop.blocked.cpu_time', 1.4, 'times within the hang: expected true, got false'],
  ['event_loop.blocked.child_processes', ['sleep (7)'], 'child process: expected none, got true'],
])('a report with %s %s is wrong', (name, value, text) => {
  expect(judged(loop, { ...right.attributes, [name]: value }, 'request-span')).toEqual({ wrong: [text], absent: [] });
});

test.each([
  ['code.function.name', undefined, 'function: expected findParent, got none'],
  ['event_loop.blocked.cause', 'unknown', 'cause: expected javascript, got none'],
  ['event_loop.blocked.answer_age', 0.9, 'answer of the present: expected true, got none'],
])('what a report does not say, as %s %s, is absent and not wrong', (name, value, text) => {
  expect(judged(loop, { ...right.attributes, [name]: value }, 'request-span')).toEqual({ wrong: [], absent: [text] });
});

test('a hang that hardly had a CPU is starved', () => {
  const starved = { 'event_loop.blocked.cause': 'cpu_starved', 'event_loop.blocked.run_queue_time': 1.15 };
  const attributes = { ...right.attributes, ...starved, 'event_loop.blocked.cpu_time': 0.05 };
  expect(judged(loop, attributes, 'request-span')).toEqual(nothing);
});

test('a report in another request is wrong, and so is a function that V8 cannot have shown', () => {
  expect(judged(loop, right.attributes, 'another-span').wrong).toEqual([
    'parent: expected request-span, got another-span',
  ]);
  expect(
    judged(kindOf('native'), { 'event_loop.blocked.cause': 'native', 'code.function.name': 'findParent' }).wrong,
  ).toEqual(['function: expected none, got findParent']);
});

import { expect, test } from '@jest/globals';
import type { TruthRecord } from '@loopwatch/test-support';

import type { Expectation } from '../expectation.ts';
import { judgeAttached } from './judge-attached.ts';

const truth: TruthRecord = {
  startEpochMs: 1000,
  endEpochMs: 1300,
  startNowMs: 0,
  endNowMs: 300,
  spanId: 'span',
} as TruthRecord;

test.each([
  ['GET', 'GET /orders', true],
  ['POST', 'POST /signup', true],
  ['POST', 'POST', true],
  ['POST', 'GET /signup', false],
  ['GET', 'POST /signup', false],
  ['POST', 'signup', false],
  ['render invoice', 'GET /invoice', true],
  ['render invoice', 'POST /invoice', true],
])('in a span %j, the request %j is right: %j', (parent, request, isRight) => {
  const expectation = {
    parent,
    http: true,
    culprits: ['f'],
    file: 'a.cjs',
    causes: [],
    resources: [],
  } as unknown as Expectation;
  const block = {
    startMs: 1000,
    durationMs: 300,
    cause: 'javascript',
    stackQuality: 'exact',
    culprit: { functionName: 'f', filePath: '/a.cjs', lineNumber: 1 },
    request,
    parentSpanId: 'span',
  };
  const misses = judgeAttached(expectation, { truths: [truth] }, [block], '');
  expect(misses.map(({ aspect }) => aspect)).toEqual(isRight ? [] : ['request']);
});

import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { describe, expect, test } from '@jest/globals';
import type { BusyCount } from '../../../src/contract/busy-time-data.js';
import { namedWindow, type NamedCount } from '../../../src/export/named-window.js';
import { requestNameOf, servedRequestOf } from '../../../src/export/request-name.js';
import { Recorder } from '../support/tracing.js';

const names = { servedRequestOf, requestNameOf };

function named(attributes: Record<string, string>): NamedCount {
  const span = new Recorder().tracer.startSpan('GET', { kind: SpanKind.SERVER, attributes });
  const count: BusyCount = {
    context: trace.setSpan(ROOT_CONTEXT, span),
    culprit: undefined,
    job: undefined,
    stack: '',
    isInBlock: false,
    answers: 1,
    weightMs: 200,
    lateAnswers: 0,
  };
  const ofThread = { threadId: 0, threadName: 'main', start: 0, end: 1_000 };
  const times = { busyMs: 500, runQueueMs: undefined, gcMs: undefined };
  return namedWindow({ ...ofThread, ...times, counts: [count] }, true, names).counts[0]!;
}

describe('a request of the time of the loop', () => {
  test('has its route, also as a series', () => {
    const { request, served } = named({ 'http.route': '/runs/:id', 'url.path': '/runs/7' });
    expect([request, served]).toEqual(['GET /runs/:id', 'GET /runs/:id']);
  });

  test('has its path where no route is known; the series has the method alone, because a path may contain ids', () => {
    const { request, served } = named({ 'url.path': '/runs/7' });
    expect([request, served]).toEqual(['GET /runs/7', 'GET']);
  });
});

import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { expect, test } from '@jest/globals';
import { fromRelayed, toRelayed } from '../../../src/export/relayed-block.js';
import { attribution, block } from '../support/builders.js';

const spanContext = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 };
const inSpan = trace.setSpanContext(ROOT_CONTEXT, spanContext);

test('a block that another thread has sent is the same, with the span contexts of its contexts', () => {
  const contexts = [
    { context: inSpan, asyncId: 5, start: 1000, end: 1150 },
    { context: ROOT_CONTEXT, asyncId: 6, start: 1150, end: 1190 },
    { context: undefined, asyncId: 7, start: 1190, end: 1200 },
  ];
  const sent = block({
    threadId: 3,
    threadName: 'pool',
    attribution: attribution({ contexts, mainContext: inSpan }),
    endings: [{ at: 1100, context: inSpan, asyncId: 5, trackedSpan: { cannotBeSent: () => undefined } }],
  });
  const received = fromRelayed(structuredClone(toRelayed(sent)));
  expect(received.start).toBeCloseTo(sent.start, 3);
  expect(received.end).toBeCloseTo(sent.end, 3);
  expect(received).toMatchObject({ durationMs: 200, threadId: 3, threadName: 'pool', times: sent.times });
  expect(received.attribution.culprit).toEqual(sent.attribution.culprit);
  const [first, ...others] = received.attribution.contexts;
  expect(trace.getSpanContext(first!.context as typeof ROOT_CONTEXT)).toEqual(spanContext);
  expect(first!.start).toBeCloseTo(1000, 3);
  expect(first!.end).toBeCloseTo(1150, 3);
  expect(trace.getSpanContext(received.attribution.mainContext as typeof ROOT_CONTEXT)).toEqual(spanContext);
  expect(others.map(({ context }) => context)).toEqual([undefined, undefined]);
});

test('a context that throws is sent as none', () => {
  const hostile = {
    getValue: () => {
      throw new Error('hostile');
    },
  };
  const contexts = [{ context: hostile, asyncId: 5, start: 1000, end: 1150 }];
  const sent = block({ attribution: attribution({ contexts, mainContext: hostile }) });
  const received = fromRelayed(structuredClone(toRelayed(sent)));
  expect(received.attribution.contexts).toMatchObject([{ context: undefined, asyncId: 5 }]);
  expect(received.attribution.mainContext).toBeUndefined();
});

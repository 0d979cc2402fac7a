import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { expect, test } from '@jest/globals';
import { fromRelayed, toRelayed } from '../../../src/export/relayed-block.js';
import { attribution, block } from '../support/builders.js';

const spanContext = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 };
const inSpan = trace.setSpanContext(ROOT_CONTEXT, spanContext);

test('a block that another thread has sent is the same, with the span contexts of its contexts', () => {
  const contexts = [
    { context: inSpan, weightMs: 150, isCulprits: true },
    { context: ROOT_CONTEXT, weightMs: 40, isCulprits: false },
    { context: undefined, weightMs: 10, isCulprits: false },
  ];
  const sent = block({ threadId: 3, threadName: 'pool', attribution: attribution({ contexts }) });
  const received = fromRelayed(structuredClone(toRelayed(sent)));
  expect(received.start).toBeCloseTo(sent.start, 3);
  expect(received.end).toBeCloseTo(sent.end, 3);
  expect(received).toMatchObject({ durationMs: 200, threadId: 3, threadName: 'pool', times: sent.times });
  expect(received.attribution.culprit).toEqual(sent.attribution.culprit);
  const [first, ...others] = received.attribution.contexts;
  expect(trace.getSpanContext(first!.context as typeof ROOT_CONTEXT)).toEqual(spanContext);
  expect(others.map(({ context }) => context)).toEqual([undefined, undefined]);
});

test('a context that throws is sent as none', () => {
  const hostile = {
    getValue: () => {
      throw new Error('hostile');
    },
  };
  const contexts = [{ context: hostile, weightMs: 150, isCulprits: true }];
  const received = fromRelayed(structuredClone(toRelayed(block({ attribution: attribution({ contexts }) }))));
  expect(received.attribution.contexts).toEqual([{ context: undefined, weightMs: 150, isCulprits: true }]);
});

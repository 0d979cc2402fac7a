import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { AlwaysOffSampler, SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import { expect, test } from '@jest/globals';
import { EventLoopSampler, type SamplerLike } from '../../src/sampler.js';
import * as semconv from '../../src/semconv.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

function decide(sampler: SamplerLike, name: string): number {
  return sampler.shouldSample(ROOT_CONTEXT, TRACE_ID, name, SpanKind.INTERNAL, {}, []).decision;
}

/** All that this package reports. */
const reported = Object.entries(semconv).flatMap(([name, value]) =>
  name.startsWith('SPAN_') ? [value as string] : [],
);

test.each(reported)('%s is always sampled', (name) => {
  expect(decide(new EventLoopSampler(new AlwaysOffSampler()), name)).toBe(SamplingDecision.RECORD_AND_SAMPLED);
});

test.each(['GET /', 'event-loop', 'event-loop-blocked-by-me', ''])('the wrapped sampler decides about %j', (name) => {
  expect(decide(new EventLoopSampler(new AlwaysOffSampler()), name)).toBe(SamplingDecision.NOT_RECORD);
});

test('the wrapped sampler gets all arguments, and its whole result is passed on', () => {
  let seen: unknown[] = [];
  const answer = { decision: 1, attributes: { rate: 0.5 } };
  const wrapped: SamplerLike = {
    shouldSample: (...args) => {
      seen = args;
      return answer;
    },
    toString: () => 'Recorder',
  };
  const args: Parameters<SamplerLike['shouldSample']> = [
    ROOT_CONTEXT,
    TRACE_ID,
    'GET /',
    SpanKind.SERVER,
    { a: 1 },
    [],
  ];
  expect(new EventLoopSampler(wrapped).shouldSample(...args)).toBe(answer);
  expect(seen).toEqual(args);
});

test('toString names the wrapped sampler', () => {
  expect(new EventLoopSampler(new TraceIdRatioBasedSampler(0.01)).toString()).toBe(
    'EventLoopSampler{TraceIdRatioBased{0.01}}',
  );
});

test.each([undefined, null, {}, 'always_on', 0.1])(
  '%j is refused as a sampler, with an error that says what to pass',
  (wrapped) => {
    expect(() => new EventLoopSampler(wrapped as never)).toThrow(TypeError);
    expect(() => new EventLoopSampler(wrapped as never)).toThrow(/^Expected a sampler to wrap, got \w+\. Pass /);
  },
);

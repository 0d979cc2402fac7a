import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { AlwaysOffSampler, SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import { expect, test } from '@jest/globals';
import { EventLoopSampler, type SamplerLike } from '../../src/sampler.js';
import { SPAN_EVENT_LOOP_BLOCKED, SPAN_EVENT_LOOP_HANG } from '../../src/semconv.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

function decide(sampler: SamplerLike, name: string): number {
  return sampler.shouldSample(ROOT_CONTEXT, TRACE_ID, name, SpanKind.INTERNAL, {}, []).decision;
}

test.each([SPAN_EVENT_LOOP_BLOCKED, SPAN_EVENT_LOOP_HANG])('%s is always kept', (name) => {
  expect(decide(new EventLoopSampler(new AlwaysOffSampler()), name)).toBe(SamplingDecision.RECORD_AND_SAMPLED);
});

test.each(['GET /', 'event-loop', 'event-loop-blocked-by-me', ''])(
  '%j is left to the sampler that is wrapped',
  (name) => {
    expect(decide(new EventLoopSampler(new AlwaysOffSampler()), name)).toBe(SamplingDecision.NOT_RECORD);
  },
);

test('the sampler that is wrapped gets all it would have got, and its whole answer is passed on', () => {
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

test('says what it wraps', () => {
  expect(new EventLoopSampler(new TraceIdRatioBasedSampler(0.01)).toString()).toBe(
    'EventLoopSampler{TraceIdRatioBased{0.01}}',
  );
});

test.each([undefined, null, {}, 'always_on', 0.1])(
  '%j is refused as a sampler, with a word on what to pass',
  (wrapped) => {
    expect(() => new EventLoopSampler(wrapped as never)).toThrow(TypeError);
    expect(() => new EventLoopSampler(wrapped as never)).toThrow(/^Expected a sampler to wrap, got \w+\. Pass /);
  },
);

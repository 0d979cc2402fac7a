import { ROOT_CONTEXT, trace, TraceFlags, type Span } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from '@jest/globals';
import type { OtlpTarget } from '../../../src/contract/hang-report.js';
import { hangReportOf } from '../../../src/export/hang-report.js';
import { attribution, block, NO_TIMES, ranIn } from '../support/builders.js';
import { contextOf, spanContext } from '../support/tracing.js';

const ENDPOINT = {
  url: 'http://localhost:4318/v1/traces',
  headers: {},
  timeoutMs: 1000,
  certificate: undefined,
  clientKey: undefined,
  clientCertificate: undefined,
};
const TARGET: OtlpTarget = { traces: ENDPOINT, metrics: ENDPOINT, spoolDirectory: undefined };
const RESOURCE = { 'service.name': 'fallback' };

function hangReportIn(
  contexts: readonly (readonly [context: unknown, ms: number])[],
  captureStacks = true,
  request?: string,
) {
  return hangReportOf(
    block({ attribution: attribution(ranIn(contexts)) }),
    captureStacks,
    TARGET,
    RESOURCE,
    () => request,
  );
}

function most(context: unknown): [context: unknown, ms: number] {
  return [context, 100];
}

describe('a hang report', () => {
  test("has the parent, the links and the attributes that the block's span would have", () => {
    const hangReport = hangReportIn([most(contextOf(spanContext(1))), [contextOf(spanContext(2)), 5]]);
    expect(hangReport.parent).toEqual({ traceId: spanContext(1).traceId, spanId: spanContext(1).spanId });
    expect(hangReport.links).toEqual([{ traceId: spanContext(2).traceId, spanId: spanContext(2).spanId }]);
    expect(hangReport.attributes).toMatchObject({
      'code.function.name': 'createSpans',
      'event_loop.blocked.cause': 'javascript',
    });
  });

  test('outside of any span has no parent', () => {
    expect(hangReportIn([most(ROOT_CONTEXT)])).toMatchObject({ parent: undefined, links: [] });
  });

  test('under a parent that is not sampled is a root with a link', () => {
    const unsampled = spanContext(1, { traceFlags: TraceFlags.NONE });
    expect(hangReportIn([most(contextOf(unsampled))])).toMatchObject({
      parent: undefined,
      links: [{ traceId: unsampled.traceId, spanId: unsampled.spanId }],
    });
  });

  test('crosses threads as JSON without losing anything', () => {
    const hangReport = hangReportIn([most(contextOf(spanContext(1)))]);
    const crossed = JSON.parse(JSON.stringify(hangReport)) as unknown;
    expect(crossed).toEqual(JSON.parse(JSON.stringify(crossed)));
    expect(crossed).toMatchObject({
      attributes: hangReport.attributes,
      resource: hangReport.resource,
      parent: hangReport.parent,
    });
  });

  test('has no attribute without a value', () => {
    const hangReport = hangReportOf(
      block({ times: NO_TIMES, attribution: attribution({ culprit: undefined }) }),
      true,
      TARGET,
      RESOURCE,
      () => undefined,
    );
    expect(Object.values(hangReport.attributes)).not.toContain(undefined);
    expect(hangReport.attributes).not.toHaveProperty('code.function.name');
  });

  test('has no code without captureStacks', () => {
    expect(JSON.stringify(hangReportIn([], false))).not.toMatch(/createSpans|logs\.js|"code\./);
  });

  test('names the request, whose own span may never arrive, also without captureStacks', () => {
    expect(hangReportIn([most(contextOf(spanContext(1)))], false, 'GET /runs/:id').attributes).toMatchObject({
      'event_loop.blocked.request': 'GET /runs/:id',
    });
    expect(hangReportIn([most(ROOT_CONTEXT)]).attributes).not.toHaveProperty(['event_loop.blocked.request']);
  });

  test('has no request where its name cannot be read', () => {
    const { attributes } = hangReportOf(block(), true, TARGET, RESOURCE, () => {
      throw new Error('a hostile span');
    });
    expect(attributes).not.toHaveProperty(['event_loop.blocked.request']);
  });

  test('has the resource of the SDK whose span is active', () => {
    const provider = new TracerProvider({ resource: resourceFromAttributes({ 'service.name': 'checkout' }) });
    const context = trace.setSpan(ROOT_CONTEXT, provider.getTracer('t').startSpan('GET /'));
    expect(hangReportIn([most(context)]).resource).toMatchObject({ 'service.name': 'checkout' });
  });

  test('has the given resource where the span has none', () => {
    expect(hangReportIn([most(contextOf(spanContext(1)))]).resource).toEqual(RESOURCE);
  });
});

describe('a hang report in a hostile context', () => {
  const throwing = (): never => {
    throw new Error('a throwing getter');
  };

  test('keeps the parent where only the resource throws', () => {
    const span = Object.defineProperty({ spanContext: () => spanContext(1) }, 'resource', { get: throwing });
    const hangReport = hangReportIn([most(trace.setSpan(ROOT_CONTEXT, span as unknown as Span))]);
    expect(hangReport).toMatchObject({ parent: { spanId: spanContext(1).spanId }, resource: RESOURCE });
  });

  test('has no parent where the span or the context throws', () => {
    for (const context of [
      trace.setSpan(ROOT_CONTEXT, { spanContext: throwing } as unknown as Span),
      { getValue: throwing },
    ]) {
      expect(hangReportIn([most(context)])).toMatchObject({ parent: undefined, links: [], resource: RESOURCE });
    }
  });
});

import { trace, type Context } from '@opentelemetry/api';
import type { HangReport, OtlpTarget, PlainAttributes } from '../contract/hang-report.js';
import type { Block } from '../contract/model.js';
import { printable } from '../contract/printable.js';
import { ATTR_BLOCKED_REQUEST } from '../semconv.js';
import { blockAttributes } from './block-attributes.js';
import { blockInfo } from './block-info.js';
import { blockingContext, parentageOf } from './parent.js';
import { plainAttributes, resourceOfSpan } from './resource.js';
import { safely } from './safely.js';
import { isValidSpanContext } from './valid-span-context.js';

/**
 * Builds the watchdog's report about a block that still lasts. `requestName` names the request in a context: the
 * request's own span has not ended, and never does if the process is killed.
 */
export function hangReportOf(
  block: Block,
  captureStacks: boolean,
  target: OtlpTarget | null,
  resource: PlainAttributes,
  requestName: (context: Context) => string | undefined,
): HangReport {
  const { isRoot, links } = parentageOf(block.attribution);
  const context = blockingContext(block.attribution);
  const active = safely(() => trace.getSpan(context), undefined);
  const parent = safely(() => active?.spanContext(), undefined);
  const request = safely(() => requestName(context), undefined);
  return {
    target,
    resource: safely(() => resourceOfSpan(active), undefined) ?? resource,
    parent:
      parent && isValidSpanContext(parent) && !isRoot ? { traceId: parent.traceId, spanId: parent.spanId } : undefined,
    links: links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId })),
    attributes: plainAttributes([
      ...Object.entries(blockAttributes(blockInfo(block, captureStacks, 0))),
      [ATTR_BLOCKED_REQUEST, request === undefined ? undefined : printable(request)],
    ]),
  };
}

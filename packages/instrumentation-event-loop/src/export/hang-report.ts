import { trace, type Attributes, type Span, type TracerProvider } from '@opentelemetry/api';
import type { AttributeValue, Block, OtlpTarget, PlainAttributes, HangReport } from '../contract/model.js';
import { safely } from './safely.js';
import { blockAttributes } from './block-attributes.js';
import { blockInfo } from './block-info.js';
import { culpritContext, parentageOf } from './parent.js';

interface WithResource {
  readonly resource?: ResourceLike;
  readonly _resource?: ResourceLike;
}

interface ResourceLike {
  readonly attributes: Attributes;
  readonly asyncAttributesPending?: boolean;
  readonly _rawAttributes?: readonly [string, unknown][];
}

/** What a thread that is blocked tells the watchdog of itself, so that it can report in its name. */
export function hangReportOf(
  block: Block,
  captureStacks: boolean,
  target: OtlpTarget,
  resource: PlainAttributes,
): HangReport {
  const { contexts } = block.attribution;
  const { isRoot, links } = parentageOf(contexts);
  const active = safely(() => trace.getSpan(culpritContext(contexts)), undefined);
  const parent = safely(() => active?.spanContext(), undefined);
  return {
    target,
    resource: safely(() => ownResource(active), undefined) ?? resource,
    parent:
      parent && trace.isSpanContextValid(parent) && !isRoot
        ? { traceId: parent.traceId, spanId: parent.spanId }
        : undefined,
    links: links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId })),
    attributes: plain(Object.entries(blockAttributes(blockInfo(block, captureStacks, 0)))),
  };
}

/** What the SDK of a span says of its process; undefined where the span does not tell. */
function ownResource(span: Span | undefined): PlainAttributes | undefined {
  const { resource } = (span ?? {}) as WithResource;
  return resource && resourceAttributes(resource);
}

/** The resource of an SDK's provider; empty where it keeps none in sight. */
export function resourceOf(provider: TracerProvider): PlainAttributes {
  const { resource, _resource } = provider as WithResource;
  const found = resource ?? _resource;
  return found ? resourceAttributes(found) : {};
}

/** `service.name` and `OTEL_RESOURCE_ATTRIBUTES`, for when the SDK has not said. */
export function resourceFromEnvironment(env: Readonly<Record<string, string | undefined>>): PlainAttributes {
  const attributes: Record<string, string> = { 'service.name': 'unknown_service:node' };
  for (const pair of env['OTEL_RESOURCE_ATTRIBUTES']?.split(',') ?? []) {
    const at = pair.indexOf('=');
    const [key, value] = [pair.slice(0, Math.max(0, at)).trim(), decode(pair.slice(at + 1).trim())];
    // A service without a name is the one of the default.
    if (key !== '' && !(key === 'service.name' && value === '')) attributes[key] = value;
  }
  const serviceName = env['OTEL_SERVICE_NAME']?.trim();
  if (serviceName) attributes['service.name'] = serviceName;
  return attributes;
}

/** Attributes that are still being detected are not waited for; asking for them while they are would be logged. */
function resourceAttributes(resource: ResourceLike): PlainAttributes {
  if (!resource.asyncAttributesPending) return plain(Object.entries(resource.attributes));
  // The first of a key wins there.
  return plain([...(resource._rawAttributes ?? [])].reverse());
}

function plain(entries: Iterable<readonly [string, unknown]>): PlainAttributes {
  const attributes: Record<string, AttributeValue> = {};
  for (const [key, value] of entries) if (isPlain(value)) attributes[key] = value;
  return attributes;
}

function isPlain(value: unknown): value is AttributeValue {
  return ['string', 'number', 'boolean'].includes(typeof value) || Array.isArray(value);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

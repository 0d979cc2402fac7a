import type { Attributes, Span, TracerProvider } from '@opentelemetry/api';
import type { AttributeValue, PlainAttributes } from '../contract/hang-report.js';

interface WithResource {
  readonly resource?: ResourceLike;
  readonly _resource?: ResourceLike;
}

interface ResourceLike {
  readonly attributes: Attributes;
  readonly asyncAttributesPending?: boolean;
  readonly waitForAsyncAttributes?: () => Promise<void>;
  readonly _rawAttributes?: readonly [string, unknown][];
}

/** The resource of a span's SDK; undefined where the span does not expose it. */
export function resourceOfSpan(span: Span | undefined): PlainAttributes | undefined {
  const { resource } = (span ?? {}) as WithResource;
  return resource && resourceAttributes(resource);
}

/** The resource of an SDK's provider; empty where the provider does not expose it. */
export function resourceOf(provider: TracerProvider): PlainAttributes {
  const { resource, _resource } = provider as WithResource;
  const exposed = resource ?? _resource;
  return exposed ? resourceAttributes(exposed) : {};
}

/** Resolves when the SDK has detected its resource; at once where the provider does not expose it. */
export async function resourceDetected(provider: TracerProvider): Promise<void> {
  const { resource, _resource } = provider as WithResource;
  await (resource ?? _resource)?.waitForAsyncAttributes?.();
}

/** Reads `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`, for SDKs that do not expose their resource. */
export function resourceFromEnvironment(env: Readonly<Record<string, string | undefined>>): PlainAttributes {
  const attributes: Record<string, string> = { 'service.name': 'unknown_service:node' };
  for (const pair of env['OTEL_RESOURCE_ATTRIBUTES']?.split(',') ?? []) {
    const separator = pair.indexOf('=');
    const [key, value] = [pair.slice(0, Math.max(0, separator)).trim(), decode(pair.slice(separator + 1).trim())];
    // An empty service name keeps the default.
    if (key !== '' && !(key === 'service.name' && value === '')) attributes[key] = value;
  }
  const serviceName = env['OTEL_SERVICE_NAME']?.trim();
  if (serviceName) attributes['service.name'] = serviceName;
  return attributes;
}

/**
 * Reads the attributes without waiting for those that are still being detected. Until then the SDK's own getter would
 * write a log line, so the raw attributes are read.
 */
function resourceAttributes(resource: ResourceLike): PlainAttributes {
  if (!resource.asyncAttributesPending) return plainAttributes(Object.entries(resource.attributes));
  // The SDK uses the first value of a key; reversed, that one is written last and wins.
  return plainAttributes([...(resource._rawAttributes ?? [])].reverse());
}

/** Collects attributes; skips values that OpenTelemetry attributes cannot have. */
export function plainAttributes(entries: Iterable<readonly [string, unknown]>): PlainAttributes {
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

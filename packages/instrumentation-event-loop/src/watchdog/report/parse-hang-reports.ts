import type { HangReport, OtlpTarget } from '../../contract/hang-report.js';

/** Parses the probe's answer; undefined when it is invalid: the application can replace the probe. */
export function parseHangReports(text: string): HangReport[] | undefined {
  try {
    const reports: unknown = JSON.parse(text);
    return Array.isArray(reports) && reports.every(isHangReport) ? reports : undefined;
  } catch {
    return undefined;
  }
}

function isHangReport(value: unknown): value is HangReport {
  const { target, resource, parent, links, attributes } = (value ?? {}) as Partial<Record<keyof HangReport, unknown>>;
  return (
    (target === null || isTarget(target)) &&
    [resource, attributes].every(isObject) &&
    (parent === undefined || isSpanIds(parent)) &&
    Array.isArray(links) &&
    links.every(isSpanIds)
  );
}

function isTarget(value: unknown): boolean {
  const { traces, metrics } = (value ?? {}) as Partial<Record<keyof OtlpTarget, unknown>>;
  return [traces, metrics].every(isEndpoint);
}

function isEndpoint(value: unknown): boolean {
  return isObject(value) && typeof value['url'] === 'string';
}

function isSpanIds(value: unknown): boolean {
  return (
    isObject(value) &&
    /^[0-9a-f]{32}$/i.test(String(value['traceId'])) &&
    /^[0-9a-f]{16}$/i.test(String(value['spanId']))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

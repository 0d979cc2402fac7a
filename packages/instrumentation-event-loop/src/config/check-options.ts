import type { EventLoopInstrumentationConfig } from '../types.js';
import {
  BOOLEAN_RULES,
  DEFAULT_LIVENESS_HOST,
  format,
  isWithin,
  NUMBER_RULES,
  rangeOf,
  unitOf,
  type BooleanOption,
  type NumberOption,
  type NumberRule,
  type Values,
} from './options.js';

/** Checks options from code, or from the file; throws a `TypeError` or `RangeError` for an invalid value. */
export function checkOptions(config: EventLoopInstrumentationConfig): Values {
  const values: Values = {};
  for (const [key, rule] of Object.entries(NUMBER_RULES) as [NumberOption, NumberRule][]) {
    const value: unknown = config[key];
    if (value === undefined) continue;
    if (typeof value !== 'number' || Number.isNaN(value)) {
      throw new TypeError(`Expected ${key} as a number${unitOf(rule)}, got ${format(value)}. Set ${rangeOf(rule)}.`);
    }
    if (!isWithin(value, rule)) {
      throw new RangeError(`Expected ${key} to be ${rangeOf(rule)}, got ${value}.`);
    }
    values[key] = value;
  }
  for (const key of [...(Object.keys(BOOLEAN_RULES) as BooleanOption[]), 'enabled' as const]) {
    const value: unknown = config[key];
    if (value === undefined) continue;
    if (typeof value !== 'boolean') throw new TypeError(`Expected ${key} to be true or false, got ${format(value)}.`);
    if (key !== 'enabled') values[key] = value;
  }
  const hook: unknown = config.blockHook;
  if (hook !== undefined && typeof hook !== 'function') {
    throw new TypeError(`Expected blockHook as a function (span, block) => void, got ${format(hook)}.`);
  }
  const startUpHook: unknown = config.startUpHook;
  if (startUpHook !== undefined && typeof startUpHook !== 'function') {
    throw new TypeError(`Expected startUpHook as a function (startUp) => void, got ${format(startUpHook)}.`);
  }
  const host: unknown = config.livenessHost;
  if (host !== undefined && (typeof host !== 'string' || host.trim() === '')) {
    throw new TypeError(`Expected livenessHost as an address such as ${DEFAULT_LIVENESS_HOST}, got ${format(host)}.`);
  }
  checkHangExporter(config.hangExporter);
  return values;
}

const EXPORTER_PROTOCOLS = ['http:', 'https:', 'file:'];

function checkHangExporter(exporter: unknown): void {
  if (exporter === undefined) return;
  const { url, headers } = (exporter ?? {}) as { url?: unknown; headers?: unknown };
  const protocol = typeof url === 'string' && URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol === undefined || !EXPORTER_PROTOCOLS.includes(protocol)) {
    throw new TypeError(
      `Expected hangExporter.url as an http or https URL of an OTLP receiver, or the file URL of a file, got ${format(url)}.`,
    );
  }
  if (headers === undefined) return;
  const isRecord = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  if (!isRecord || Object.values(headers).some((value) => typeof value !== 'string')) {
    throw new TypeError(`Expected hangExporter.headers as an object of strings, got ${format(headers)}.`);
  }
}
